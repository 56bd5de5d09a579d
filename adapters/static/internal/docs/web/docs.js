// What a page does beside being read: the list of pages shows where the page is in it, and / goes to the search box.
const list = document.querySelector("nav.pages"), at = list.querySelector("[aria-current]");
if (at && list.scrollHeight > list.clientHeight) list.scrollTop = at.getBoundingClientRect().top - list.getBoundingClientRect().top - list.clientHeight / 3;

addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, [contenteditable], pinion-search")) return;
  const box = document.querySelector("pinion-search");
  if (!box) return;
  event.preventDefault();
  box.focus();
});
