// Diagrams of the page, drawn in the colours of its theme, and again when that changes.
(() => {
  const diagrams = [...document.querySelectorAll("div.mermaid")].map((place) => ({
    place,
    text: place.textContent,
  }));
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  let drawn;

  const draw = async () => {
    const chosen = document.body.dataset.theme;
    const dark = chosen === "dark" || (chosen !== "light" && system.matches);
    if (drawn === dark) return;
    drawn = dark;
    mermaid.initialize({
      startOnLoad: false,
      theme: dark ? "dark" : "neutral",
      // Labels are measured outside of the page's text, so the font is named.
      fontFamily: getComputedStyle(document.body).fontFamily,
    });
    for (const [number, { place, text }] of diagrams.entries()) {
      const { svg } = await mermaid.render(`diagram-${number}`, text);
      place.innerHTML = svg;
      place.classList.add("drawn");
    }
  };

  new MutationObserver(draw).observe(document.body, { attributeFilter: ["data-theme"] });
  system.addEventListener("change", draw);
  draw();
})();
