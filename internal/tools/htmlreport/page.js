"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const right = 14;
  let left, width, inner; // of a drawing, in CSS pixels
  const measure = id => {
    width = Math.max(document.getElementById(id).clientWidth, 280);
    left = width < 600 ? 74 : 96;
    inner = width - left - right;
  };
  const number = n => n.toLocaleString("en-US", { maximumFractionDigits: 2 });

  // svg makes an element of an SVG with attributes, and a title or text in it.
  const svg = (name, attributes, parent, text) => {
    const e = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
    if (text !== undefined) e.textContent = text;
    if (parent) parent.append(e);
    return e;
  };
  const titled = (e, text) => { svg("title", {}, e, text); return e; };

  // canvas empties a place and puts a drawing into it.
  const canvas = (id, height, label) => {
    const c = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "drawn", role: "img", "aria-label": label });
    document.getElementById(id).replaceChildren(c);
    return c;
  };

  // ticks are round values from 0 to most.
  const ticks = (most, n) => {
    const rough = Math.max(most, 1e-9) / n, power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map(f => f * power).find(s => s >= rough);
    const out = [];
    for (let v = 0; v <= most * 1.0001; v += step) out.push(v);
    return out;
  };

  // docAxis draws the axis of docIDs below y and returns the place of a docID.
  const docAxis = (c, y, from, to) => {
    const span = Math.max(to - from, 1), x = d => left + (d - from) / span * inner;
    svg("line", { class: "axis", x1: left, x2: width - right, y1: y, y2: y }, c);
    for (const t of ticks(span, Math.max(2, Math.floor(inner / 100)))) {
      const at = x(from + t);
      svg("line", { class: "axis", x1: at, x2: at, y1: y, y2: y + 4 }, c);
      svg("text", { class: "soft", x: at, y: y + 16, "text-anchor": at > width - 40 ? "end" : at < left + 30 ? "start" : "middle" }, c, number(Math.round(from + t)));
    }
    svg("text", { class: "soft", x: 0, y: y + 16 }, c, "docID");
    return x;
  };

  // valueAxis draws the axis of a band of height h above y0 and returns the place of a value.
  const valueAxis = (c, y0, h, most, name) => {
    const y = v => y0 - v / Math.max(most, 1e-9) * h;
    for (const t of ticks(most, 3)) {
      svg("line", { class: t ? "rule" : "axis", x1: left, x2: width - right, y1: y(t), y2: y(t) }, c);
      svg("text", { class: "soft", x: left - 6, y: y(t) + 4, "text-anchor": "end" }, c, number(t));
    }
    svg("text", { x: width < 600 ? 0 : left, y: y0 - h - 7 }, c, name);
    return y;
  };

  // columns calls f with the number of each column of a list, its first and last docID.
  const columns = (list, f) => {
    let from = list.base + list.first;
    list.to.forEach((to, i) => { f(i, from, list.base + to); from = list.base + to + 1; });
  };
  const shorten = s => { const n = Math.floor((left - 8) / 8.5); return s.length > n ? s.slice(0, n - 1) + "…" : s; };
  const thin = w => Math.max(w, .6);

  // drawVisits draws the lists of a term in one row.
  const drawVisits = (c, x, y, h, visits) => {
    for (const v of visits) {
      const list = data.lists[v.list];
      if (!list) continue;
      if (!v.columns) {
        const x0 = x(list.base + list.first), x1 = x(list.base + list.to[list.to.length - 1] + 1);
        titled(svg("rect", { class: "unopened", x: x0, y, width: thin(x1 - x0), height: h }, c), `${v.term}: not opened`);
        continue;
      }
      columns(list, (i, from, to) => {
        const x0 = x(from), w = thin(x(to + 1) - x0), n = list.count[i];
        const [decoded, bound] = v.columns[i], rest = n - decoded - bound;
        const g = svg("g", {}, c);
        let top = y;
        for (const [cls, k] of [["header", rest], ["bound", bound], ["decoded", decoded]]) {
          if (k > 0) svg("rect", { class: cls, x: x0, y: top, width: w, height: h * k / n }, g);
          top += h * k / n;
        }
        titled(g, `${v.term}, docIDs ${number(from)} to ${number(to)}: ` +
          `${decoded} of ${n} blocks decoded, ${bound} skipped by bound, ${rest} by skip header`);
      });
    }
  };

  const drawList = list => {
    measure("list-chart");
    const end = list.base + list.to[list.to.length - 1], patched = list.exceptions.some(x => x >= 0);
    const bands = [["width", "bits of a docID gap (width of the block)", list.width, "bar"]];
    if (patched) bands.push(["exceptions", "exceptions in the block, values of more bits", list.exceptions, "over"]);
    bands.push(["bound", "bound, a score that no posting of the block beats", list.bounds, "bar"]);
    const index = data.lists.indexOf(list), row = 16, pitch = 22;
    const visits = data.queries.flatMap(q => q.passes.flatMap(p => p.lists.filter(v => v.list === index).map(v => [q, v])));
    const h = 74, gap = 34, strips = 22 + bands.length * (h + gap) - 14, height = strips + visits.length * pitch + 34;
    const c = canvas("list-chart", height, `Blocks of the list of ${list.term} along docID`);
    const x = docAxis(c, height - 26, list.base + list.first, end);
    bands.forEach(([kind, name, values, cls], b) => {
      const y0 = 22 + b * (h + gap) + h, most = Math.max(...values, kind === "bound" ? list.bound : 1);
      const y = valueAxis(c, y0, h, most, name);
      columns(list, (i, from, to) => {
        if (values[i] > 0) svg("rect", { class: cls, x: x(from), y: y(values[i]), width: thin(x(to + 1) - x(from)), height: y0 - y(values[i]) }, c);
      });
      if (kind === "bound") titled(svg("line", { class: "limit", x1: left, x2: width - right, y1: y(list.bound), y2: y(list.bound) }, c), "bound of the list");
    });
    visits.forEach(([q, v], i) => {
      const name = q.id || q.text, at = strips + i * pitch;
      titled(svg("text", { x: left - 8, y: at + row / 2 + 4, "text-anchor": "end" }, c, shorten(name)), q.text);
      drawVisits(c, x, at, row, [v]);
    });
    columns(list, (i, from, to) => {
      const r = svg("rect", { class: "hit", x: x(from), y: 16, width: thin(x(to + 1) - x(from)), height: strips - 30 }, c);
      titled(r, `docIDs ${number(from)} to ${number(to)}: ${number(list.count[i])} block${list.count[i] > 1 ? "s" : ""}, width ${number(list.width[i])}` +
        (list.exceptions[i] >= 0 ? `, ${list.exceptions[i]} exceptions` : "") + `, bound ${number(list.bounds[i])}`);
    });
    const per = Math.round(list.blocks / list.to.length);
    document.getElementById("list-facts").textContent = `${number(list.n)} postings in ${number(list.blocks)} blocks, ${number(list.bytes)} bytes (${number(8 * list.bytes / list.n)} bits a posting), ${list.codecs}, ${list.segment}.` +
      (per > 1 ? ` A column stands for about ${number(per)} blocks: the width and exceptions of the middle one, the highest bound.` : "");
  };

  const drawQuery = q => {
    measure("query-chart");
    const terms = new Map();
    for (const p of q.passes) for (const l of p.lists) {
      if (!terms.has(l.term)) terms.set(l.term, []);
      terms.get(l.term).push(l);
    }
    const band = 110, row = 26, pitch = 36, height = 26 + band + 14 + terms.size * pitch + 30;
    const c = canvas("query-chart", height, `What the query ${q.text} did along docID`);
    const x = docAxis(c, height - 28, 0, q.docs), y0 = 24 + band;
    const best = q.hits.length ? q.hits[0].score : 0;
    const y = valueAxis(c, y0, band, Math.max(best, ...q.thresholds.map(t => t[1]), 0), "score that a hit must reach, and the hits");
    let path = `M${left} ${y(0)}`;
    for (const [doc, score] of q.thresholds) path += `H${x(doc)}V${y(score)}`;
    svg("path", { class: "step", d: path + `H${width - right}` }, c);
    for (const h of q.hits) titled(svg("circle", { class: "dot", cx: x(h.doc), cy: y(h.score), r: 3.5 }, c), `${h.id}: ${h.score}`);
    let at = y0 + 14;
    for (const [term, visits] of terms) {
      titled(svg("text", { x: left - 8, y: at + row / 2 + 4, "text-anchor": "end" }, c, shorten(term)), term);
      drawVisits(c, x, at, row, visits);
      at += pitch;
    }
    const scored = q.passes.reduce((n, p) => n + p.scored, 0), candidates = q.passes.reduce((n, p) => n + p.candidates, 0);
    document.getElementById("query-facts").textContent = `Algorithm ${q.algorithm}, ${number(q.micros)} µs with the trace; ${number(candidates)} candidates, ${number(scored)} fully scored.`;
    tables(q, terms);
  };

  // table makes a table; columns after the first hold numbers.
  const table = (heads, rows) => {
    const t = document.createElement("table"), line = (cells, tag, parent) => {
      const tr = document.createElement("tr");
      cells.forEach((v, i) => {
        const e = document.createElement(tag);
        e.textContent = typeof v === "number" ? number(v) : v;
        if (i > 0) e.className = "n";
        tr.append(e);
      });
      parent.append(tr);
    };
    line(heads, "th", t.createTHead());
    const body = t.createTBody();
    for (const r of rows) line(r, "td", body);
    return t;
  };

  const tables = (q, terms) => {
    const rows = [...terms].map(([term, visits]) => {
      const sum = k => visits.reduce((n, v) => n + v[k], 0);
      return [term, sum("blocks"), sum("decoded"), sum("by_bound"), sum("by_header")];
    });
    document.getElementById("query-table").replaceChildren(
      table(["term", "blocks", "decoded", "by bound", "by header"], rows),
      table(["hit", "docID", "score"], q.hits.map(h => [h.id, h.doc, h.score])));
  };

  // picker fills a select and draws what is chosen.
  const picker = (id, items, name, draw) => {
    const s = document.getElementById(id);
    if (!s || !items.length) return;
    items.forEach((item, i) => s.add(new Option(name(item), i)));
    s.addEventListener("change", () => draw(items[s.value]));
    let drawn = 0;
    const redraw = () => {
      const now = document.documentElement.clientWidth;
      if (now !== drawn) { drawn = now; draw(items[s.value]); }
    };
    window.addEventListener("resize", redraw);
    redraw();
  };
  const several = new Set(data.lists.map(l => l.segment)).size > 1;
  picker("list", data.lists, l => `${l.term} – ${number(l.n)} postings` + (several ? `, ${l.segment}` : ""), drawList);
  picker("query", data.queries, q => (q.id ? q.id + ": " : "") + q.text, drawQuery);
})();
