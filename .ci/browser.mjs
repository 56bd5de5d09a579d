// See .ci/browser. Usage: node browser.mjs DIR [SHOTS]
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createReadStream, existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join, normalize } from "node:path";
import puppeteer from "puppeteer-core";

const [work, shots] = process.argv.slice(2);

const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
  protocolTimeout: 120_000,
});

// open returns a page that fails the run if anything is logged as an error.
const faults = [];
async function open(allowed = []) {
  const page = await browser.newPage();
  page.setDefaultTimeout(120_000);
  await page.setViewport({ width: 1280, height: 860 });
  page.on("console", (m) => { if (m.type() === "error" || m.type() === "warn") faults.push(m.text()); });
  page.on("pageerror", (e) => faults.push(e.message));
  page.on("requestfailed", (r) => {
    if (r.failure()?.errorText !== "net::ERR_ABORTED") faults.push(r.url() + ": " + r.failure()?.errorText);
  });
  page.on("response", (r) => { if (r.status() >= 400 && !allowed.includes(r.status())) faults.push(r.url() + ": " + r.status()); });
  return page;
}

async function shot(page, name) {
  if (!shots) return;
  const path = join(shots, name + ".png");
  mkdirSync(dirname(path), { recursive: true });
  await page.screenshot({ path });
}

const text = (page, selector = "main") => page.$eval(selector, (e) => e.innerText);
const float32 = (x) => Math.fround(Number(x));

// host serves a folder. It counts what it sends of the index, and answers requests for ranges unless whole is set.
async function host({ folder = "site", whole = false, from = "*" } = {}) {
  const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm", ".json": "application/json" };
  const sent = { requests: 0, bytes: 0 };
  const server = createServer((request, response) => {
    const name = new URL(request.url, "http://x").pathname;
    const file = join(work, folder, normalize(name.endsWith("/") ? name + "index.html" : name));
    const headers = { "Content-Type": types[/\.\w+$/.exec(file)?.[0]] ?? "application/octet-stream", "Access-Control-Allow-Origin": from };
    if (!existsSync(file)) return response.writeHead(404, headers).end();
    const size = statSync(file).size;
    let [start, end, status] = [0, size - 1, 200];
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "");
    if (range && !whole) {
      [start, end, status] = [Number(range[1]), Math.min(Number(range[2]), size - 1), 206];
      headers["Content-Range"] = `bytes ${start}-${end}/${size}`;
    }
    if (/index[^/]*\/[^/]+\.pin$/.test(name)) {
      sent.requests++;
      sent.bytes += end - start + 1;
    }
    response.writeHead(status, { ...headers, "Content-Length": end - start + 1 });
    createReadStream(file, { start, end }).pipe(response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { url: `http://127.0.0.1:${server.address().port}/`, sent, close: () => server.close() };
}

// searched returns the answer of the demo to a query, once it is held against the native program's.
async function searched(page, mode, want) {
  const got = await page.evaluate(async (q, m) => JSON.parse(await pinionSearch(q, m, 10)), want.query, mode);
  assert.deepEqual(got.hits?.map((h) => [h.id, float32(h.score), h.text]), want.hits.map((h) => [h.id, float32(h.score), h.text]), want.query + ": " + got.error);
  return got;
}

// demo checks examples/browser: by ranges, with an index elsewhere, and from a server without ranges.
async function demo() {
  const answers = (mode) => JSON.parse(readFileSync(join(work, mode + ".json")));
  const size = statSync(join(work, "site", "index", "segment-000000000001.pin")).size;
  const site = await host(), elsewhere = await host(), plain = await host({ whole: true });
  const load = async (url) => {
    const page = await open();
    await page.goto(url);
    await page.waitForSelector("#query:enabled");
    return page;
  };

  let page = await load(site.url);
  assert.match(await text(page, "#state"), /^31,102 verses: \d+ kB read by \d requests in 3 rounds$/);
  assert.equal(await text(page, "#notice"), "");
  const opened = { ...site.sent };
  assert.ok(opened.bytes < size / 4, `opening reads ${opened.bytes} bytes of ${size}`);
  let hits = 0;
  const asked = { requests: 0, bytes: 0, rounds: 0 };
  for (const mode of ["or", "and"]) {
    for (const want of answers(mode)) {
      const got = await searched(page, mode, want);
      hits += got.hits.length;
      asked.requests += got.requests;
      asked.bytes += got.bytes;
      asked.rounds = Math.max(asked.rounds, got.rounds);
    }
  }
  for (const what of ["requests", "bytes"]) { // reads that turn out not to be needed may begin after the answer
    const sent = site.sent[what] - opened[what];
    assert.ok(asked[what] <= sent && sent <= 1.2 * asked[what], `${sent} ${what} sent, ${asked[what]} counted`);
  }
  assert.ok(asked.rounds <= 4, `a query waits for ${asked.rounds} rounds`);
  await page.close();

  page = await load(site.url);
  await page.focus("#query");
  await page.keyboard.sendCharacter("the lord is my shepherd"); // at once: one search
  await page.waitForSelector("#hits li");
  assert.match(await text(page, "#hits"), /Psa23:1/);
  const state = await text(page, "#state");
  assert.match(state, /^10 verses in [\d.]+ ms: [\d.]+ [kM]B read by \d+ requests in \d rounds$/);
  await shot(page, "serve/demo");
  await page.close();

  page = await load(site.url + "?index=" + encodeURIComponent(elsewhere.url + "index"));
  assert.match(await text(page, "#state"), /^31,102 documents: /);
  await searched(page, "or", answers("or")[0]);
  assert.ok(elsewhere.sent.requests > 0);
  await page.close();

  page = await load(plain.url);
  assert.match(await text(page, "#notice"), /does not answer requests for ranges/);
  for (const want of answers("and").slice(0, 20)) await searched(page, "and", want);
  assert.equal(plain.sent.requests, 2, "the manifest and the segment are read once each");
  await page.close();

  for (const s of [site, elsewhere, plain]) s.close();
  assert.ok(hits > 1000, `only ${hits} hits`);
  console.log(`demo: ${hits} hits with the ids, scores and text of the native program, of ${opened.bytes} bytes and then ${asked.bytes} of ${size}; ${state}`);
}

// manual checks the search box of adapters/static: the hits of the reader outside of browsers, keys, addresses, languages, narrow windows.
async function manual() {
  const want = readFileSync(join(work, "manual.json"), "utf8").trim().split("\n").map((line) => JSON.parse(line));
  const typed = ["lord", "still waters", "shepherd lamp", '"my shepherd"', "lamp moun", "chapter genesi", "wires flamingo", "configurat", "repenteth", "--mount", "sheperd "];
  assert.equal(want.length, typed.length);
  const site = await host({ folder: "manual" });
  const shown = (page, sought) => page.evaluate((q) => new Promise((done) => {
    const box = document.querySelector("pinion-search");
    box.addEventListener("pinion-hits", (event) => done(event.detail), { once: true });
    box.shadowRoot.querySelector("input").value = q;
    box.search(10);
  }), sought);
  let hits = 0;
  const first = await open();
  await first.goto(site.url);
  for (const [i, q] of typed.entries()) {
    const got = await shown(first, q);
    for (const h of got.hits) {
      assert.equal(h.href, new URL(h.url, site.url).href);
      delete h.href;
    }
    assert.deepEqual(got, want[i], q);
    hits += got.hits.length;
  }
  await first.close();
  assert.ok(hits > 40, `only ${hits} hits`);

  const page = await open();
  await page.setViewport({ width: 390, height: 844 });
  await page.goto(site.url + "?q=still+waters");
  await hit(page);
  assert.equal(await text(page, "pinion-search >>> .title"), want[1].hits[0].title.join(""));
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "the page is wider than the window");
  await shot(page, "adapters/static/narrow");
  await page.evaluate(readFileSync(join(work, "node_modules/axe-core/axe.min.js"), "utf8"));
  await page.evaluate(() => { document.documentElement.style.colorScheme = "light dark"; });
  for (const [width, scheme] of [[390, "dark"], [390, "light"], [1280, "dark"], [1280, "light"]]) {
    await page.setViewport({ width, height: 860 });
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    const found = await page.evaluate(() => globalThis.axe.run("pinion-search"));
    assert.deepEqual(found.violations.map((v) => [v.id, v.nodes.map((n) => n.html.slice(0, 120))]), [], `${width} ${scheme}`);
  }
  await page.focus("pinion-search >>> input");
  await page.keyboard.press("ArrowDown");
  const at = () => page.$eval("pinion-search >>> input", (e) => e.getRootNode().getElementById(e.getAttribute("aria-activedescendant"))?.href);
  assert.equal(await at(), new URL(want[1].hits[0].url, site.url).href);
  await page.keyboard.press("ArrowUp");
  assert.equal(await at(), new URL(want[1].hits.slice(0, 6).at(-1).url, site.url).href);
  await page.keyboard.press("Escape");
  assert.equal(await page.$eval("pinion-search >>> input", (e) => e.getAttribute("aria-expanded")), "false");
  await page.$eval("pinion-search >>> input", (e) => e.select());
  await page.keyboard.type("dowels");
  await page.waitForFunction(() => /^1 page\.$/.test(document.querySelector("pinion-search").shadowRoot.querySelector("[role=status]").textContent));
  await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
  assert.equal(page.url(), site.url + "guide/#mounting");
  await page.goto(site.url);
  await page.$eval("pinion-search", (e) => e.setAttribute("language", "de"));
  assert.deepEqual((await shown(page, "drähte ")).hits.map((h) => h.url), ["de/#sicherheit"]);
  assert.deepEqual((await shown(page, "wires ")).hits, []);
  await page.close();
  site.close();
  console.log(`manual: ${hits} hits with the scores and passages of the reader outside of browsers, keys, addresses and another language`);
}

// hit waits until the search box shows hits, which are in its shadow root.
const hit = (page) => page.waitForFunction(() => document.querySelector("pinion-search").shadowRoot?.querySelector(".hit"));

// documentation checks the site of this repository's pages: that they fit windows of a phone's width and others, and that the box finds
// what the native program finds first.
async function documentation() {
  const site = await host({ folder: "docs" });
  const page = await open();
  page.on("request", (r) => { if (!r.url().startsWith(site.url)) faults.push("asked for " + r.url()); });
  const pages = ["", "docs/", "docs/comparison.html", "docs/serve.html", "format/FORMAT.html", "papers/results.html"];
  for (const width of [390, 800, 1280]) {
    await page.setViewport({ width, height: 860 });
    for (const name of pages) {
      await page.goto(site.url + name);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= width, `${name} takes ${wide} of ${width} pixels`);
      const shown = await page.$$eval("nav.pages li a", (all) => all.filter((a) => a.checkVisibility()).length);
      assert.ok(width < 960 ? shown === 0 : shown > 40, `${name} at ${width}: ${shown} pages are listed`);
    }
  }
  const answers = readFileSync(join(work, "docs.txt"), "utf8").trim().split("\n").map((line) => /^1 {2}(.*): (\S+)$/.exec(line)).filter(Boolean);
  assert.ok(answers.length >= 2, "fewer than two first hits");
  for (const [, typed, url] of answers.slice(0, 2)) {
    await page.goto(site.url + "docs/mcp.html");
    await page.keyboard.press("/");
    await page.keyboard.sendCharacter(typed);
    await hit(page);
    await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
    assert.equal(page.url(), site.url + url, typed);
  }
  await page.close();
  site.close();
  console.log(`documentation: ${pages.length} pages at 390, 800 and 1280 px, and two questions`);
}

// report checks the page of idxinspect report, from its file and without a network.
async function report() {
  const page = await open();
  await page.setViewport({ width: 1000, height: 1180 });
  await page.setOfflineMode(true);
  await page.goto("file://" + join(work, "report.html"));
  const least = { ".chart": 10, option: 20, ".bar": 100, ".decoded": 10, ".step": 1 }; // seven histograms, two charts of codecs, a plan
  for (const [selector, n] of Object.entries(least)) {
    const got = (await page.$$(selector)).length;
    assert.ok(got >= n, `${selector}: ${got} times, want ${n}`);
  }
  const labels = () => page.evaluate(() => document.body.innerHTML);
  assert.match(await labels(), /Blocks of the list of the along docID/);
  await shot(page, "inspect/report-light");

  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }]);
  await page.addStyleTag({ content: "#summary, #bytes, #values, #codecs, #gpu, #merge { display: none }" });
  await shot(page, "inspect/report-dark");

  for (const id of ["list", "query"]) {
    await page.focus("#" + id);
    await page.keyboard.press("ArrowDown");
  }
  assert.match(await labels(), /Blocks of the list of and along docID/);
  assert.match(await labels(), /What the query in the beginning did along docID/);
  await page.close();
  console.log("report: charts, without a network, and another list and query by key");
}

// outside returns what is wider than the window or than what holds it, or writes text that
// is too small to read.
const outside = (page) => page.evaluate(() => {
  const width = document.documentElement.clientWidth, out = [];
  const say = (e, what) => out.push(`${what}: <${e.tagName} ${e.getAttribute("class") ?? ""}> ${e.textContent.slice(0, 60)}`);
  for (const e of document.querySelectorAll("body *")) {
    const r = e.getBoundingClientRect();
    if (r.width === 0 || r.height === 0 || e.closest("option")) continue;
    if (r.right > width + 0.5 || r.left < -0.5) say(e, "outside the window");
    if (!e.ownerSVGElement && e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0 && getComputedStyle(e).overflowX !== "visible" && e.tagName !== "SELECT") say(e, "cut");
    if (e.tagName !== "text") continue;
    const svg = e.ownerSVGElement.getBoundingClientRect();
    if (r.right > svg.right + 1 || r.left < svg.left - 1) say(e, "outside the chart");
    const scale = svg.width / e.ownerSVGElement.viewBox.baseVal.width;
    if (parseFloat(getComputedStyle(e).fontSize) * scale < 10) say(e, "too small");
  }
  return out;
});

// fits gives the window a size and waits until nothing is outside: charts are drawn anew some time after the change.
async function fits(page, name, width, height) {
  await page.setViewport({ width, height });
  await page.waitForFunction((width) => innerWidth === width, {}, width);
  let out = await outside(page);
  for (const end = Date.now() + 60_000; out.length > 0 && Date.now() < end; out = await outside(page)) await new Promise((done) => setTimeout(done, 50));
  assert.deepEqual(out, [], name);
}

// narrow checks that nothing is cut in windows of a phone's width and others, and that
// print has dark text on white in the dark, too.
async function narrow() {
  for (const name of ["report", "long", "hurt"]) {
    const page = await open();
    await page.goto("file://" + join(work, name + ".html"));
    await page.$$eval("details", (all) => all.forEach((d) => { d.open = true; }));
    for (const width of [390, 700, 800, 1280]) await fits(page, `${name} at ${width}`, width, 800);
    if (name === "report") {
      for (const [selector, n] of Object.entries({ ".chart": 10, ".drawn": 2 })) {
        const texts = await page.$$eval(selector, (all) => all.map((e) => e.querySelectorAll("text").length));
        assert.ok(texts.length >= n && Math.min(...texts) >= 4, `${selector}: ${texts} labels`);
      }
      assert.match(await text(page, "#summary"), /\bmade\n20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC\non\n.*\d threads?\nby\nidxinspect /);
    }
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }]);
    await page.emulateMediaType("print");
    await fits(page, `${name} in print`, 718, 1000); // A4 between the margins
    const [back, ink] = await page.evaluate(() => ["backgroundColor", "color"].map((k) => getComputedStyle(document.body)[k]));
    assert.deepEqual([back, ink], ["rgb(255, 255, 255)", "rgb(27, 31, 36)"], "print");
    const kept = await page.$$eval("svg, .legend i", (all) => all.every((e) => getComputedStyle(e).printColorAdjust === "exact"));
    assert.ok(kept, "colors of charts are not printed");
    await page.close();
  }
  console.log("report: nothing cut at 390 px, at other widths and in print");
}

// start starts idxinspect serve and returns its address.
async function start(...args) {
  const child = spawn(join(work, "idxinspect"), ["serve", ...args], { cwd: work, stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(child.stdout, "data");
  return { address: String(line).trim(), stop: () => child.kill("SIGINT") };
}

// drawn checks that the charts that a selector finds have bars with an area.
async function drawn(page, selector, least) {
  const n = await page.$$eval(selector, (all) => all.filter((r) => r.getBoundingClientRect().width > 0 && r.getBoundingClientRect().height > 0).length);
  assert.ok(n >= least, `${selector}: ${n} bars on ${page.url()}`);
}

async function serve() {
  const server = await start("--with", "ef.idx", "kjv.idx");
  const page = await open([404]);
  await page.goto(server.address);
  await drawn(page, "svg.bar rect", 5);
  await shot(page, "serve/overview");

  await page.keyboard.press("/");
  await page.keyboard.type("lord my shepherd");
  await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
  assert.match(await text(page), /Psa23:1/);
  await drawn(page, "svg.thin rect", 20);
  await drawn(page, "svg.strip rect", 3);
  await page.click("details summary");
  await shot(page, "serve/search");
  for (const key of ["ArrowDown", "ArrowDown", "ArrowUp"]) await page.keyboard.press(key);
  assert.equal((await page.$$("[data-row].at")).length, 1);
  await page.evaluate(() => document.activeElement.blur());
  await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
  assert.match(page.url(), /\/doc\?doc=/);
  assert.match(await text(page), /Stored text/);

  await page.goto(server.address + "terms?prefix=s");
  await Promise.all([page.waitForNavigation(), page.keyboard.press("ArrowRight")]);
  assert.match(page.url(), /from=s/);
  await Promise.all([page.waitForNavigation(), page.keyboard.press("ArrowLeft")]);

  await page.goto(server.address + "list?term=lord");
  await drawn(page, "svg.chart rect", 50);
  await shot(page, "serve/list");
  await page.goto(server.address + "block?term=lord&seg=0&block=3");
  const bytes = await page.$eval("a[href*='off=']", (a) => a.href);
  await page.goto(bytes);
  assert.match(await text(page), /In the list of lord/);
  await drawn(page, "table.hex i", 500);
  await page.setViewport({ width: 1120, height: 600 });
  await shot(page, "serve/bytes");

  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }]);
  await page.goto(server.address + "compare?term=lord&q=faith+hope+charity");
  assert.match(await text(page), /The same documents with the same scores/);
  const back = await page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number));
  assert.ok(Math.max(...back) < 64, `dark: the background is ${back}`);
  await shot(page, "serve/compare-dark");
  await page.emulateMediaFeatures([]);

  await page.goto(server.address + "verify");
  await Promise.all([page.waitForNavigation(), page.click("main form button")]);
  await page.waitForFunction(() => document.querySelector("main").innerText.includes("No damage"), { timeout: 60_000 });
  await page.close();
  server.stop();

  const hurt = await start("damaged.idx");
  const sick = await open();
  for (const path of ["", "terms", "docs", "search?q=lord", "bytes?file=segment-000000000001.pin", "verify"]) {
    await sick.goto(hurt.address + path);
    assert.match(await text(sick), /This index is damaged/, path);
  }
  await sick.goto(hurt.address);
  await shot(sick, "serve/damaged");
  await sick.close();
  hurt.stop();
  console.log("serve: pages, charts, keys, dark, verification, damage");
}

try {
  await report();
  await narrow();
  await demo();
  await manual();
  await documentation();
  await serve();
  assert.deepEqual(faults, []);
} finally {
  await browser.close();
}
