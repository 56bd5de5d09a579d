// The element <pinion-search>: a box that searches the site, with hits below it. Written by pinion-static; changes are overwritten.
//
//   <script type="module" src="/_search/search.js"></script>
//   <pinion-search></pinion-search>
//
// Attributes: placeholder; label, for screen readers; hits, how many are shown at first (6); language (that of the page); query, searched for at
// once; param, the parameter of the page's URL with the query; load="page" to read the index with the page, not when the box is first
// used. The event pinion-hits has the answer that is shown. README.md of pinion-static says how it is styled.
"use strict";

import { Reader } from "./reader.js";

const folder = new URL(".", import.meta.url);

// built is what search.json had when this was written: it tells what to fetch while the browser asks for search.json itself, which is never
// taken from its cache.
const built = /* search.json */ null;

// readers are promises of what searches pages, by language: one is enough for all boxes of a page.
const readers = new Map();

// readerOf returns what searches pages in a language, or in that of most pages.
function readerOf(language) {
  const key = language.toLowerCase().replaceAll("_", "-").split("-")[0];
  if (!readers.has(key)) {
    const loading = load(key);
    loading.catch(() => readers.delete(key)); // the next search tries again
    readers.set(key, loading);
  }
  return readers.get(key);
}

async function fetched(name, options) {
  let response;
  try {
    response = await fetch(new URL(name, folder), options);
  } catch {
    throw new Error("no connection");
  }
  if (!response.ok) throw new Error(`${name}: ${response.status} ${response.statusText}`);
  return response;
}

async function unpacked(name) {
  const stream = (await fetched(name)).body.pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// run runs what waits for files of a folder.
async function run(steps, folder) {
  let step = steps.next();
  while (!step.done) step = steps.next(await Promise.all(step.value.map((name) => unpacked(folder + name))));
  return step.value;
}

// indexOf returns the folder of the index of pages in a language, or else of those in the language of most pages.
function indexOf({ languages }, language) {
  return (languages[language] ?? Object.values(languages).reduce((a, b) => (b.pages > a.pages ? b : a))).index;
}

async function load(language) {
  const known = fetched("search.json", { cache: "no-cache" }).then((response) => response.json());
  let index, reader;
  if (built) {
    reader = run(Reader.open(), (index = indexOf(built, language)));
    reader.catch(() => {}); // of an older site it may be gone; of this one it is awaited
  }
  const entry = await known, of = indexOf(entry, language);
  if (of !== index) reader = run(Reader.open(), of);
  const open = await reader, home = new URL(entry.site, folder).href;
  return async (typed, most, texts) => {
    const answer = await run(open.search(typed, most, texts), of);
    for (const hit of answer.hits) {
      const href = new URL(hit.url, home).href;
      hit.href = href.startsWith(home) ? href : home; // below the folder of the site, whatever the index says
      if (!hit.title.join("")) hit.title = [hit.url];
    }
    return answer;
  };
}

// Texts are read once nothing was typed for so many milliseconds, and titles are shown before.
const SOON = 120, PAUSE = 400;

const style = new CSSStyleSheet();
style.replaceSync(`
:host { --ink: var(--pinion-ink, light-dark(#1b1f24, #e6edf3)); --back: var(--pinion-back, light-dark(#fff, #161b22)); --line: var(--pinion-line, light-dark(#8c959f, #6e7781));
  --soft: var(--pinion-soft, light-dark(#57606a, #9aa4af)); --at: var(--pinion-at, light-dark(#eef3fb, #21304a)); --mark: var(--pinion-mark, light-dark(#fff2b3, #6b5900));
  display: block; position: relative; color: var(--ink); font: inherit; text-align: start; }
* { box-sizing: border-box; }
input { width: 100%; margin: 0; padding: .5em .75em; border: 1px solid var(--line); border-radius: .4em; background: var(--back); color: inherit; font: inherit; }
input::placeholder { color: var(--soft); opacity: 1; }
input:focus-visible, button:focus-visible { outline: 2px solid #3b7ddd; outline-offset: 1px; }
.panel { position: absolute; z-index: 1000; inset-inline: 0; margin-top: .25em; border: 1px solid var(--line); border-radius: .4em; background: var(--back); box-shadow: 0 8px 24px #0003; }
.panel[data-closed] { visibility: hidden; }
button[hidden], p:empty, .list:empty { display: none; }
.list { max-height: 65vh; padding: 0 .25em .25em; overflow-y: auto; }
a { display: block; padding: .5em .6em; border-radius: .3em; color: inherit; text-decoration: none; overflow-wrap: anywhere; }
a:hover, a[aria-selected="true"] { background: var(--at); }
.title { font-weight: 600; }
.heading::before { content: " › "; color: var(--soft); }
.text { display: block; color: var(--soft); font-size: .9em; }
mark { background: var(--mark); color: var(--ink); }
p { margin: 0; padding: .5em .85em; color: var(--soft); font-size: .85em; }
button { width: 100%; padding: .6em; border: 0; border-top: 1px solid var(--line); background: none; color: inherit; font: inherit; cursor: pointer; }
@media (pointer: coarse) { input { font-size: max(1em, 16px); } }
`);

// element returns an element with a class, which is its part too, and children.
function element(tag, name, ...children) {
  const made = document.createElement(tag);
  if (name) made.className = name;
  if (name) made.setAttribute("part", name);
  made.append(...children);
  return made;
}

// marked returns an element with text whose every second part is a word of the query.
function marked(name, parts) {
  return element("span", name, ...parts.map((part, i) => (i % 2 === 0 ? part : element("mark", "mark", part))));
}

class PinionSearch extends HTMLElement {
  #input; #panel; #list; #more; #status; #latest = 0; #waiting; #typed = -PAUSE; #hurry; #entered = false; #at = -1; #shown = 0;

  connectedCallback() {
    if (this.#input) return;
    const label = this.getAttribute("label") ?? "Search", root = this.attachShadow({ mode: "open", delegatesFocus: true });
    root.adoptedStyleSheets = [style];
    this.#input = element("input", "input");
    this.#list = element("div", "list");
    this.#more = element("button", "more", "More");
    this.#status = element("p", "status");
    this.#panel = element("div", "panel", this.#status, this.#list, this.#more);
    for (const [of, attributes] of [
      [this.#input, { type: "search", role: "combobox", autocomplete: "off", autocapitalize: "off", spellcheck: "false", "aria-autocomplete": "list",
        "aria-expanded": "false", "aria-controls": "hits", "aria-label": label, placeholder: this.getAttribute("placeholder") ?? label }],
      [this.#list, { role: "listbox", id: "hits", "aria-label": label }], [this.#status, { role: "status" }], [this.#more, { type: "button", hidden: "" }], [this.#panel, { "data-closed": "" }],
    ]) for (const [name, value] of Object.entries(attributes)) of.setAttribute(name, value);
    root.append(this.#input, this.#panel);
    this.#input.addEventListener("focus", () => this.#reader().catch((error) => this.#say(error.message)));
    this.#input.addEventListener("input", () => this.#soon());
    this.#more.addEventListener("click", () => this.search(2 * this.#shown));
    root.addEventListener("keydown", (event) => this.#key(event));
    this.addEventListener("focusout", (event) => { if (!this.contains(event.relatedTarget)) this.#show(false); });
    this.addEventListener("focusin", () => this.#show(this.#status.textContent !== ""));
    const param = this.getAttribute("param"), asked = () => new URLSearchParams(location.search).get(param) ?? "";
    this.#input.value = this.getAttribute("query") ?? (param ? asked() : "");
    if (param) addEventListener("popstate", () => { this.#input.value = asked(); this.search(); });
    if (this.#input.value) this.search();
    else if (this.getAttribute("load") === "page") this.#reader().catch(() => {}); // the first search says what is wrong
  }

  #reader() { return readerOf(this.getAttribute("language") ?? document.documentElement.lang); }

  // #soon searches once nothing was typed for a moment.
  #soon() {
    clearTimeout(this.#waiting);
    this.#typed = performance.now();
    this.#waiting = setTimeout(() => {
      this.#remember();
      this.search();
    }, SOON);
  }

  // #remember has the page's URL have what is typed.
  #remember() {
    const param = this.getAttribute("param");
    if (!param) return;
    const url = new URL(location.href);
    if (this.#input.value) url.searchParams.set(param, this.#input.value);
    else url.searchParams.delete(param);
    history.replaceState(history.state, "", url);
  }

  // search shows what is found for the text in the box.
  async search(most = Number(this.getAttribute("hits") ?? 6)) {
    const typed = this.#input.value, mine = ++this.#latest;
    this.#entered = false;
    let answer = { hits: [], total: 0, corrected: [], missing: [] };
    try {
      if (typed.trim()) {
        const reader = await this.#reader(), wait = this.#typed + PAUSE - performance.now();
        if (wait > 0) {
          answer = await reader(typed, most, false);
          if (mine !== this.#latest) return; // another search has begun
          this.#list.replaceChildren(...answer.hits.map((hit, i) => this.#item(hit, i)));
          this.#told(answer, most);
          await new Promise((done) => {
            this.#hurry = done;
            setTimeout(done, Math.max(0, this.#typed + PAUSE - performance.now()));
          });
          if (mine !== this.#latest || this.#input.value !== typed) return; // a search for what is typed now comes
        }
        answer = await reader(typed, most, true);
      }
    } catch (error) {
      if (mine === this.#latest) this.#say(error.message);
      return;
    }
    if (mine !== this.#latest) return;
    const at = this.#at; // that a key has chosen meanwhile
    this.#list.replaceChildren(...answer.hits.map((hit, i) => this.#item(hit, i)));
    if (typed.trim()) this.#told(answer, most);
    else this.#say("");
    if (at >= 0 && at < answer.hits.length) this.#select(at);
    this.#hurry = undefined;
    if (this.#entered) this.#list.children[Math.max(at, 0)]?.click();
    this.dispatchEvent(new CustomEvent("pinion-hits", { bubbles: true, composed: true, detail: answer }));
  }

  // #told shows what an answer says beside its hits.
  #told({ hits, total, any, corrected, missing, looked }, most) {
    this.#at = -1;
    this.#input.removeAttribute("aria-activedescendant");
    this.#shown = most;
    this.#more.hidden = hits.length >= total;
    const told = [];
    for (const [typed, used] of corrected) told.push(`“${used}” in place of “${typed}”.`);
    if (missing.length > 0) told.push(`On no page: ${missing.map((word) => `“${word}”`).join(", ")}.`);
    const pages = total === 0 ? "Nothing found" : `${total} ${total === 1 ? "page" : "pages"}`;
    told.push(pages + (total > 0 && any ? " with some of the words" : "") + (looked ? ` among the ${looked} best` : "") + ".");
    this.#say(told.join(" "));
  }

  #say(text) {
    this.#status.textContent = text;
    this.#show(text !== "");
  }

  #show(open) {
    this.#panel.toggleAttribute("data-closed", !open);
    this.#input.setAttribute("aria-expanded", String(open && this.#list.children.length > 0));
  }

  #item(hit, i) {
    const link = element("a", "hit", marked("title", hit.title));
    link.id = `hit-${i}`;
    link.setAttribute("role", "option");
    link.setAttribute("aria-selected", "false");
    link.href = hit.href;
    link.tabIndex = -1;
    if (hit.heading) link.append(marked("heading", hit.heading));
    if (hit.text.join("")) link.append(marked("text", hit.text));
    return link;
  }

  #key(event) {
    const items = this.#list.children;
    if (event.target === this.#more && event.key !== "Escape") return;
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
        if (items.length === 0 || this.#closed()) return;
        if (this.#hurry) { // the sections that hits lead to are not known yet
          this.#entered = true;
          this.#hurry();
        } else items[Math.max(this.#at, 0)].click();
        break;
      case "Escape":
        if (this.#closed()) this.#input.value = "";
        this.#show(false);
        this.#input.focus();
        break;
      default:
        return;
    }
    event.preventDefault();
  }

  #closed() { return this.#panel.hasAttribute("data-closed"); }

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
