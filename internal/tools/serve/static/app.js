// Keys: / to the search box, left and right to the page before and behind, up and down to
// a row, Enter to open it. And the progress of a verification.
"use strict";

const rows = () => Array.from(document.querySelectorAll("[data-row]"));

function move(step) {
  const all = rows();
  if (all.length === 0) return false;
  let at = all.findIndex((r) => r.classList.contains("at"));
  if (at >= 0) all[at].classList.remove("at");
  at = at < 0 ? (step > 0 ? 0 : all.length - 1) : Math.min(Math.max(at + step, 0), all.length - 1);
  all[at].classList.add("at");
  all[at].scrollIntoView({ block: "nearest" });
  return true;
}

function follow(selector, root = document) {
  const link = root.querySelector(selector);
  if (link === null) return false;
  link.click();
  return true;
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  if (event.key === "Escape" && typing) {
    event.target.blur();
    return;
  }
  if (typing) return;
  let done = false;
  switch (event.key) {
    case "/": {
      const box = document.getElementById("search");
      box.focus();
      box.select();
      done = true;
      break;
    }
    case "ArrowDown": done = move(1); break;
    case "ArrowUp": done = move(-1); break;
    case "ArrowLeft": done = follow("a[rel=prev]"); break;
    case "ArrowRight": done = follow("a[rel=next]"); break;
    case "Enter": {
      const at = document.querySelector("[data-row].at");
      done = at !== null && document.activeElement === document.body && follow("a", at);
      break;
    }
  }
  if (done) event.preventDefault();
});

async function watch() {
  const bar = document.getElementById("running");
  if (bar === null) return;
  try {
    for (;;) {
      const answer = await fetch("verify.json");
      if (!answer.ok) return;
      const state = await answer.json();
      if (!state.running) break;
      bar.value = state.percent;
      document.getElementById("where").textContent =
        state.percent.toFixed(1) + " %  " + state.file + (state.damaged > 0 ? "  " + state.damaged + " damaged places" : "");
      await new Promise((wake) => setTimeout(wake, 300));
    }
    location.reload();
  } catch {
    document.getElementById("where").textContent = "the server has stopped";
  }
}
watch();
