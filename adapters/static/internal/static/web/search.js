// The element <pinion-search>: a box that searches the site, with hits below it. Written by pinion-static; changes are overwritten.
//
//   <link rel="stylesheet" href="/_search/search.css">
//   <script type="module" src="/_search/search.js"></script>
//   <pinion-search></pinion-search>
//
// Attributes: placeholder; label, for screen readers; hits, how many are shown (10); language (that of the page); query, searched for at
// once; param, the parameter of the page's URL with such a query; load="page" to load the program with the page, not when the box is
// first used. The event pinion-hits tells of hits that are shown.
"use strict";

const folder = new URL(".", import.meta.url);

// engines are promises of programs with an open index, by language: one is enough for all boxes of a page.
const engines = new Map();

// engine returns what searches pages in a language, or in that of most pages.
function engine(language) {
  const key = language.toLowerCase().replaceAll("_", "-").split("-")[0];
  if (!engines.has(key)) {
    const loading = load(key);
    loading.catch(() => engines.delete(key)); // the next search tries again
    engines.set(key, loading);
  }
  return engines.get(key);
}

// built is what search.json had when this was written: it tells what to fetch while the browser asks for search.json itself, which is never
// taken from its cache.
const built = /* search.json */ null;

async function fetched(name, options) {
  const response = await fetch(new URL(name, folder), options);
  if (!response.ok) throw new Error(`${name}: ${response.status} ${response.statusText}`);
  return response;
}

async function compiled(name) {
  const unpacked = (await fetched(name)).body.pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compileStreaming(new Response(unpacked, { headers: { "Content-Type": "application/wasm" } }));
}

// parts begins to fetch what pages in a language are searched with, or else those in the language of most pages, unless begun has it.
function parts({ languages }, language, begun) {
  const of = languages[language] ?? Object.values(languages).reduce((a, b) => (b.pages > a.pages ? b : a));
  const part = (name, get) => {
    if (!begun.has(name)) begun.set(name, get(name));
    begun.get(name).catch(() => {}); // of an older site it may be gone; of this one it is awaited
    return begun.get(name);
  };
  return {
    index: of.index,
    program: part(of.program, compiled),
    glue: part(of.glue, (name) => import(new URL(name, folder))),
    whole: (of.whole ?? []).map((name) => part(of.index + name, async (file) => (await fetched(file)).arrayBuffer())),
  };
}

async function load(language) {
  const known = fetched("search.json", { cache: "no-cache" }), begun = new Map();
  if (built) parts(built, language, begun);
  const entry = await (await known).json(), of = parts(entry, language, begun);
  await of.glue;
  const go = new globalThis.Go(), program = {};
  go.env.GOGC = "400"; // collect garbage after the first search
  const instance = await WebAssembly.instantiate(await of.program, go.importObject);
  await new Promise((ready) => {
    globalThis.pinionStatic = program;
    program.ready = ready;
    go.run(instance);
  });
  await program.open(new URL(of.index, folder).href, ...await Promise.all(of.whole));
  const home = new URL(entry.site, folder).href;
  return async (typed, most) => {
    const answer = await program.search(typed, most);
    for (const hit of answer.hits) {
      const href = new URL(hit.url, home).href;
      hit.href = href.startsWith(home) ? href : home; // below the folder of the site, whatever the index says
    }
    return answer;
  };
}

// marked returns an element with text whose every second part is a word of the query.
function marked(tag, name, parts) {
  const element = document.createElement(tag);
  element.className = name;
  parts.forEach((part, i) => {
    if (i % 2 === 0) return element.append(part);
    const mark = document.createElement("mark");
    mark.textContent = part;
    element.append(mark);
  });
  return element;
}

let boxes = 0;

class PinionSearch extends HTMLElement {
  #input; #list; #status; #latest = 0; #waiting; #at = -1;

  connectedCallback() {
    if (this.#input) return;
    const id = `pinion-search-${++boxes}`, label = this.getAttribute("label") ?? "Search";
    this.innerHTML = `<input type="search" role="combobox" autocomplete="off" autocapitalize="off" spellcheck="false" aria-autocomplete="list"
      aria-expanded="false" aria-controls="${id}"><ul role="listbox" id="${id}" hidden></ul><p role="status" aria-live="polite"></p>`;
    [this.#input, this.#list, this.#status] = this.children;
    this.#input.setAttribute("aria-label", label);
    this.#list.setAttribute("aria-label", label);
    this.#input.placeholder = this.getAttribute("placeholder") ?? label;
    this.#input.addEventListener("focus", () => this.#engine().catch((error) => this.#say(error.message)));
    this.#input.addEventListener("input", () => this.#soon());
    this.addEventListener("keydown", (event) => this.#key(event));
    this.addEventListener("focusout", (event) => { if (!this.contains(event.relatedTarget)) this.#show(false); });
    this.addEventListener("focusin", () => this.#show(this.#list.children.length > 0));
    const param = this.getAttribute("param");
    this.#input.value = this.getAttribute("query") ?? (param && new URLSearchParams(location.search).get(param)) ?? "";
    if (this.#input.value) this.search();
    else if (this.getAttribute("load") === "page") this.#engine().catch(() => {}); // the first search says what is wrong
  }

  #engine() { return engine(this.getAttribute("language") ?? document.documentElement.lang); }

  // #soon searches once nothing was typed for a moment.
  #soon() {
    clearTimeout(this.#waiting);
    this.#waiting = setTimeout(() => this.search(), 80);
  }

  // search shows what is found for the text in the box.
  async search() {
    const typed = this.#input.value, mine = ++this.#latest;
    let answer = { hits: [] };
    try {
      if (typed.trim()) answer = await (await this.#engine())(typed, Number(this.getAttribute("hits") ?? 10));
    } catch (error) {
      if (mine === this.#latest) this.#say(error.message);
      return;
    }
    if (mine !== this.#latest) return; // another search has begun
    this.#list.replaceChildren(...answer.hits.map((hit, i) => this.#item(hit, i)));
    this.#at = -1;
    this.#input.removeAttribute("aria-activedescendant");
    this.#show(answer.hits.length > 0);
    this.#say(typed.trim() ? this.#told(answer) : "");
    this.dispatchEvent(new CustomEvent("pinion-hits", { bubbles: true, detail: answer }));
  }

  #told({ hits, any }) {
    if (hits.length === 0) return "Nothing found";
    return `${hits.length} ${hits.length === 1 ? "page" : "pages"}` + (any ? " with some of the words" : "");
  }

  #say(text) { this.#status.textContent = text; }

  #show(open) {
    this.#list.hidden = !open;
    this.#input.setAttribute("aria-expanded", String(open));
  }

  #item(hit, i) {
    const item = document.createElement("li"), link = document.createElement("a");
    item.id = `${this.#list.id}-${i}`;
    item.setAttribute("role", "option");
    item.setAttribute("aria-selected", "false");
    link.href = hit.href;
    link.tabIndex = -1;
    link.append(marked("span", "title", hit.title));
    if (hit.heading) link.append(marked("span", "heading", hit.heading));
    link.append(marked("span", "text", hit.text));
    item.append(link);
    return item;
  }

  #key(event) {
    const items = this.#list.children;
    switch (event.key) {
      case "ArrowDown":
      case "ArrowUp": {
        if (items.length === 0) return;
        this.#show(true);
        const step = event.key === "ArrowDown" ? 1 : -1;
        this.#select(this.#at < 0 && step < 0 ? items.length - 1 : (this.#at + step + items.length) % items.length);
        break;
      }
      case "Enter":
        if (items.length === 0 || this.#list.hidden) return;
        items[Math.max(this.#at, 0)].firstChild.click();
        break;
      case "Escape":
        if (this.#list.hidden) this.#input.value = "";
        this.#show(false);
        break;
      default:
        return;
    }
    event.preventDefault();
  }

  #select(at) {
    this.#list.children[this.#at]?.setAttribute("aria-selected", "false");
    this.#at = at;
    const item = this.#list.children[at];
    item.setAttribute("aria-selected", "true");
    item.scrollIntoView({ block: "nearest" });
    this.#input.setAttribute("aria-activedescendant", item.id);
  }
}

customElements.define("pinion-search", PinionSearch);
