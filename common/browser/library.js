// What window.cpp asks of the page, as functions that Emscripten links. Module.page is page.js's half of a
// window; without it, as under Node, there is no display.
mergeInto(LibraryManager.library, {
  workbook_has_page: function () {
    return Module['page'] ? 1 : 0;
  },

  workbook_open: function (title, width, height) {
    Module['page'].open(UTF8ToString(title), width, height);
  },

  // Writes the next event's kind, key, x, y, button and steps. 0: there is none.
  workbook_next_event: function (words) {
    var event = Module['page'].nextEvent();
    if (!event) {
      return 0;
    }
    HEAP32.set(event, words >> 2);
    return 1;
  },

  workbook_show: function (rgba, width, height) {
    var pixels = new Uint8ClampedArray(HEAPU8.buffer, rgba, width * height * 4);
    Module['page'].show(pixels, width, height);
  },

  // From now on the page calls workbook_picture. Main's frame must stay, so nothing may use its stack.
  workbook_begin: function () {
    var deep = stackSave();
    Module['page'].begin(function () {
      stackRestore(deep);
      return _workbook_picture() !== 0;
    });
  },

  // A file has been written whole: the page offers it as a download.
  workbook_written: function (path) {
    if (Module['page']) {
      var name = UTF8ToString(path);
      Module['page'].download(name, FS.readFile(name));
    }
  },
});
