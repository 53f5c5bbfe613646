// Files of what is seen: a film, and a picture.

/**
 * @param {Blob} blob
 * @param {string} name
 */
function save(blob, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

/** @type {MediaRecorder | null} */
let recorder = null;

/**
 * Begins to record the canvas, or ends and saves what was recorded.
 * @param {HTMLCanvasElement} canvas
 * @param {HTMLElement} button - says what it does next
 * @param {(words: string) => void} tell
 */
export function film(canvas, button, tell) {
  if (recorder) {
    recorder.stop();
    return;
  }
  if (!window.MediaRecorder || !canvas.captureStream) {
    tell('This browser cannot record a film.');
    return;
  }
  const kinds = ['video/mp4;codecs=avc1', 'video/webm;codecs=vp9', 'video/webm'];
  const mimeType = kinds.find((kind) => MediaRecorder.isTypeSupported(kind));
  /** @type {Blob[]} */
  const parts = [];
  const mine = (recorder = new MediaRecorder(canvas.captureStream(60), {mimeType, videoBitsPerSecond: 24e6}));
  recorder.addEventListener('dataavailable', ({data}) => parts.push(data));
  recorder.addEventListener('stop', () => {
    const type = mine.mimeType;
    recorder = null;
    button.textContent = 'film';
    save(new Blob(parts, {type}), `fluid.${type.includes('mp4') ? 'mp4' : 'webm'}`);
  });
  recorder.start(1000);
  button.textContent = 'stop and save';
}

/**
 * Saves the picture that is seen.
 * @param {HTMLCanvasElement} canvas
 */
export function pictureFile(canvas) {
  requestAnimationFrame(() => canvas.toBlob((blob) => {
    if (blob) save(blob, 'fluid.png');
  }));
}
