"use strict";

const at = (id) => document.getElementById(id);

// The index to search, and what its documents are called.
const other = new URLSearchParams(location.search).get("index");
const address = other ?? "index/", noun = other === null ? "verses" : "documents";

// asked says what was asked of the server.
function asked(usage) {
  const bytes = usage.bytes < 1e6 ? Math.ceil(usage.bytes / 1e3) + " kB" : (usage.bytes / 1e6).toFixed(1) + " MB";
  return usage.requests === 0 ? "nothing read" :
    `${bytes} read by ${usage.requests} request${usage.requests === 1 ? "" : "s"} in ${usage.rounds} round${usage.rounds === 1 ? "" : "s"}`;
}

// load fetches the program and opens the index.
async function load() {
  const go = new Go();
  const ready = new Promise((done) => { globalThis.pinionReady = done; });
  const wasm = await WebAssembly.instantiateStreaming(fetch("search.wasm"), go.importObject);
  go.run(wasm.instance);
  await ready;
  const opened = JSON.parse(await pinionOpen(address));
  if (opened.error) throw new Error(opened.error);
  return opened;
}

let latest = 0, waiting;

async function search() {
  const text = at("query").value, mine = ++latest;
  const answer = text.trim() === "" ? { hits: [] } : JSON.parse(await pinionSearch(text, at("mode").value, 10));
  if (mine !== latest) return; // another search has begun
  at("hits").replaceChildren();
  if (answer.error) at("state").textContent = answer.error;
  else if (answer.terms) at("state").textContent = `${answer.hits.length} ${noun} in ${answer.milliseconds.toFixed(1)} ms: ${asked(answer)}`;
  for (const hit of answer.hits ?? []) {
    const item = document.createElement("li");
    const score = document.createElement("span");
    score.textContent = hit.score;
    const id = document.createElement("b");
    id.textContent = hit.id;
    const verse = document.createElement("p");
    verse.textContent = hit.text;
    item.append(score, id, verse);
    at("hits").append(item);
  }
}

// soon searches once nothing was typed for a moment: the beginnings of words are not worth requests.
function soon() {
  clearTimeout(waiting);
  waiting = setTimeout(search, 150);
}

if (other !== null) at("title").textContent = document.title = other;
load().then((opened) => {
  at("state").textContent = `${opened.docs.toLocaleString("en")} ${noun}: ${asked(opened)}`;
  if (opened.whole) at("notice").textContent = "This server does not answer requests for ranges, so the program has read the whole index.";
  at("query").disabled = false;
  at("query").focus();
  at("query").addEventListener("input", soon);
  at("mode").addEventListener("change", search);
  document.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
}, (error) => { at("state").textContent = error.message; });
