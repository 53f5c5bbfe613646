// The search of the library's reference: shows the entries that have all the words.
'use strict';
(() => {
  const field = document.getElementById('words');
  const found = document.getElementById('found');
  const entries = [...document.querySelectorAll('.entries li')];

  function search() {
    const words = field.value.toLowerCase().split(/\s+/).filter((word) => word !== '');
    let count = 0;
    for (const entry of entries) {
      entry.hidden = !words.every((word) => entry.dataset.words.includes(word));
      count += entry.hidden ? 0 : 1;
    }
    found.textContent = words.length === 0 ? '' : `${count} found`;
  }

  field.addEventListener('input', search);
  document.getElementById('search').addEventListener('submit', (event) => {
    event.preventDefault();
    const first = entries.find((entry) => !entry.hidden);
    if (first) first.querySelector('a').click();
  });
  search(); // a browser may have kept what was typed
})();
