"use strict";
// Sets the mathematics of a page; what cannot be set stays as it is.
for (const place of document.querySelectorAll(".m")) {
  const within = place.innerHTML;
  try {
    const displayMode = place.tagName === "DIV";
    katex.render(place.dataset.tex, place, { displayMode, strict: "ignore", trust: false, maxExpand: 100 });
  } catch (error) {
    place.innerHTML = within;
  }
}
