// Keeps what the reader has opened, so that it can be read without a network. pages.py puts the edition's
// version into the first line below: another edition begins with an empty cache.
const edition = 'VERSION';

self.addEventListener('install', () => self.skipWaiting());

self.addEventListener('activate', (event) => event.waitUntil((async () => {
  for (const old of await caches.keys()) {
    if (old.startsWith('fluid-workbook-') && old !== edition) await caches.delete(old);
  }
  await self.clients.claim();
})()));

// A page has one name here, whatever its flags, and with or without the index.html that a server adds.
function name(address) {
  const {origin, pathname} = new URL(address);
  return origin + pathname.replace(/\/$/, '/index.html');
}

// A page says what it has loaded, and all pictures that it will show.
self.addEventListener('message', (event) => event.waitUntil((async () => {
  const cache = await caches.open(edition);
  await Promise.all(event.data.map(name).map(async (address) => {
    if (!(await cache.match(address))) await cache.add(address).catch(() => {});
  }));
  for (const client of await self.clients.matchAll()) client.postMessage('kept');
})()));

self.addEventListener('fetch', (event) => {
  if (event.request.method !== 'GET' || !event.request.url.startsWith(self.location.origin)) return;
  event.respondWith((async () => {
    const cache = await caches.open(edition);
    const kept = await cache.match(name(event.request.url));
    return kept || fetch(event.request);
  })());
});
