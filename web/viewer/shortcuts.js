// Keys, and the list of them that `?` shows.

export function listenToKeys(keys) {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches?.('input:not([type=range]):not([type=checkbox]), select, textarea')) return;
    const entry = keys.find(({ key }) => key === event.key || key === event.key.toLowerCase());
    if (!entry) return;
    if (event.target.matches?.('button, input') && event.key === ' ') return; // the button under the focus wants it
    event.preventDefault();
    entry.run();
  });
}

export function describeKeys(list, keys, mouse) {
  const names = { ' ': 'Space', ArrowLeft: '←', ArrowRight: '→' };
  const rows = [...keys.map(({ key, text }) => [names[key] ?? key.toUpperCase(), text]), ...mouse];
  list.replaceChildren(...rows.flatMap(([key, text]) => {
    const term = document.createElement('dt');
    const meaning = document.createElement('dd');
    term.textContent = key;
    meaning.textContent = text;
    return [term, meaning];
  }));
}
