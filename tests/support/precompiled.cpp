// Nothing: what matters are the headers that are compiled before it, once for all tests.
