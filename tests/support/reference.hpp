// The figures in tests/reference: tables of comma-separated words.
#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

/// The rows of one of those files, without its header; none if it cannot be read.
inline std::vector<std::vector<std::string>> reference_rows(const std::string& name) {
    std::ifstream file(REFERENCE_DIR "/" + name);
    std::string line;
    std::vector<std::vector<std::string>> rows;
    std::getline(file, line);
    while (std::getline(file, line)) {
        rows.emplace_back();
        std::istringstream stream(line);
        for (std::string word; std::getline(stream, word, ',');) {
            rows.back().push_back(word);
        }
    }
    return rows;
}
