// Completions in the search box, as an ARIA combobox with a listbox. Without this script the box is a plain form.
"use strict";
(() => {
  const pause = 120; // milliseconds without a key until the server is asked
  const input = document.querySelector("input[data-suggest]");
  const form = input?.form;
  if (!form) return;

  const list = document.createElement("ul");
  list.id = "suggestions";
  list.hidden = true;
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Suggestions");
  const status = document.createElement("div");
  status.className = "unseen";
  status.setAttribute("role", "status");
  input.after(list, status);
  for (const [name, value] of Object.entries({ role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": list.id, "aria-haspopup": "listbox" }))
    input.setAttribute(name, value);

  const known = new Map(); // answers by what was typed
  let timer, asking, at = -1; // asking is the request in flight, at the option that is chosen

  const open = () => !list.hidden;

  function close() {
    clearTimeout(timer);
    asking?.abort();
    list.hidden = true;
    at = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
    status.textContent = "";
  }

  // show lists what is suggested, where what was typed is plain and what completes it is bold.
  function show(typed, all) {
    if (input.value !== typed || document.activeElement !== input) return;
    if (all.length === 0) return close();
    list.replaceChildren(...all.map((s, i) => {
      const option = document.createElement("li"), text = document.createElement("span");
      option.id = "suggestion-" + i;
      option.setAttribute("role", "option");
      option.setAttribute("aria-selected", "false");
      option.dataset.text = s.text;
      text.dir = "auto";
      if (s.text.toLowerCase().startsWith(typed.toLowerCase())) {
        const rest = document.createElement("b");
        rest.textContent = s.text.slice(typed.length);
        text.append(s.text.slice(0, typed.length), rest);
      } else {
        text.textContent = s.text;
      }
      option.append(text);
      if (s.correction && !all[i - 1]?.correction) {
        const note = document.createElement("small");
        note.textContent = "did you mean";
        option.append(note);
      }
      return option;
    }));
    at = -1;
    input.removeAttribute("aria-activedescendant");
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
    status.textContent = all.length === 1 ? "1 suggestion" : all.length + " suggestions";
  }

  async function ask() {
    const typed = input.value;
    asking?.abort(); // one request at a time: the answer to an older text is of no use
    if (typed.trim() === "") return close();
    if (known.has(typed)) return show(typed, known.get(typed));
    const own = asking = new AbortController();
    const url = new URL(input.dataset.suggest, location.origin + location.pathname);
    for (const [name, value] of new FormData(form)) url.searchParams.append(name, value);
    try {
      const answer = await fetch(url, { signal: own.signal });
      if (!answer.ok) return;
      const { suggestions } = await answer.json();
      if (known.size > 200) known.clear();
      known.set(typed, suggestions);
      if (own === asking) show(typed, suggestions);
    } catch {
      // Aborted, or no server: the form works without suggestions.
    } finally {
      if (own === asking) asking = undefined;
    }
  }

  function choose(i) {
    list.children[at]?.setAttribute("aria-selected", "false");
    at = i;
    const option = list.children[at];
    if (!option) return input.removeAttribute("aria-activedescendant");
    option.setAttribute("aria-selected", "true");
    input.setAttribute("aria-activedescendant", option.id);
    option.scrollIntoView({ block: "nearest" });
  }

  function take(option) {
    input.value = option.dataset.text;
    close();
    form.requestSubmit();
  }

  function typed(event) {
    if (event.isComposing) return;
    clearTimeout(timer);
    timer = setTimeout(ask, pause);
  }
  input.addEventListener("input", typed);
  input.addEventListener("compositionend", typed);
  input.addEventListener("keydown", (event) => {
    if (event.isComposing || event.ctrlKey || event.metaKey) return;
    const n = list.children.length;
    switch (event.key) {
      case "ArrowDown":
        if (!open()) ask();
        else if (!event.altKey) choose(at + 1 < n ? at + 1 : -1);
        break;
      case "ArrowUp":
        if (!open()) return;
        if (event.altKey) close();
        else choose(at < 0 ? n - 1 : at - 1);
        break;
      case "Enter":
        if (!open() || at < 0) return close();
        take(list.children[at]);
        break;
      case "Escape":
        if (!open()) return;
        close();
        break;
      default:
        return;
    }
    event.preventDefault();
  });
  input.addEventListener("blur", close);
  list.addEventListener("pointerdown", (event) => event.preventDefault()); // the box keeps the focus
  list.addEventListener("mousedown", (event) => event.preventDefault());
  list.addEventListener("click", (event) => {
    const option = event.target.closest("[role=option]");
    if (option) take(option);
  });
  addEventListener("pageshow", (event) => { if (event.persisted) close(); });
})();

// Menus close by Escape, and where something else is chosen; the drawer of filters does where there is room for a sidebar.
(() => {
  const menus = document.querySelectorAll("details.sort");
  addEventListener("click", (event) => menus.forEach((m) => { if (!m.contains(event.target)) m.open = false; }));
  menus.forEach((m) => {
    m.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !m.open) return;
      m.open = false;
      m.querySelector("summary").focus();
    });
    m.addEventListener("focusout", (event) => { if (event.relatedTarget && !m.contains(event.relatedTarget)) m.open = false; });
  });
  const drawer = document.querySelector(".facets[popover]");
  matchMedia("(min-width: 56.001rem)").addEventListener("change", () => { if (drawer?.matches(":popover-open")) drawer.hidePopover(); });
})();
