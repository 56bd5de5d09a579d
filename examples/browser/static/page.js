"use strict";

const at = (id) => document.getElementById(id);

// load fetches the program and the files of the index, and opens the index.
async function load() {
  const go = new Go();
  const ready = new Promise((done) => { globalThis.pinionReady = done; });
  const [wasm, names] = await Promise.all([
    WebAssembly.instantiateStreaming(fetch("search.wasm"), go.importObject),
    fetch("files.json").then((answer) => answer.json()),
  ]);
  go.run(wasm.instance);
  const files = {};
  await Promise.all(names.map(async (name) => {
    const answer = await fetch("index/" + name);
    if (!answer.ok) throw new Error(name + ": " + answer.status);
    files[name] = new Uint8Array(await answer.arrayBuffer());
  }));
  await ready;
  const stats = JSON.parse(pinionOpen(files));
  if (stats.error) throw new Error(stats.error);
  globalThis.pinionFiles = files;
  return stats;
}

function search() {
  const text = at("query").value;
  at("hits").replaceChildren();
  if (text.trim() === "") return;
  const answer = JSON.parse(pinionSearch(text, at("mode").value, 10));
  at("state").textContent = answer.error ?? answer.hits.length + " verses in " + answer.milliseconds + " ms";
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

load().then((stats) => {
  at("state").textContent = stats.Docs.toLocaleString("en") + " verses";
  at("query").disabled = false;
  at("query").focus();
  at("query").addEventListener("input", search);
  at("mode").addEventListener("change", search);
  document.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
}, (error) => { at("state").textContent = error.message; });
