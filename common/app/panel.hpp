// The panel of parameters beside the fluid: a row for each, with its name, its value, and a slider
// for the mouse. It knows nothing of what they mean.
#pragma once

#include <cstddef>
#include <vector>

#include "common/app/flags.hpp"
#include "common/draw/picture.hpp"

namespace workbook {

/// Whether the parameter has a slider. What is on or off, or one of several, has none: a click goes
/// on to the next.
bool has_slider(const Parameter& parameter);

/// The number that a click goes on to.
double next_number(const Parameter& parameter);

/// Where a slider stands for its parameter's present value, from 0, its left end, to 1. It is
/// logarithmic: the parameter's usual size is halfway, a hundredth of it at one end and a hundred
/// times as much at the other, as far as the parameter's range goes. 0 is at the left end; or in
/// the middle, if the parameter may be negative.
double slider_place(const Parameter& parameter);

/// The number that a slider at that place stands for, rounded to three digits. Places below 0 and
/// above 1 count as the ends.
double slider_number(const Parameter& parameter, double place);

/// A parameter's row in a panel.
struct PanelRow {
    std::size_t parameter;
    Rectangle place;  ///< all of it is the slider
};

/// How wide a panel in letters of that size is.
int panel_width(int size);

/// The rows that the panel has room for; where it has not room for all, the chosen one is among
/// them.
std::vector<PanelRow> panel_rows(const std::vector<Parameter>& parameters, std::size_t chosen,
                                 Rectangle panel, int size);

/// The slider's place under the mouse at column x.
double place_in(const PanelRow& row, int x);

/// Draws the panel in letters of that size.
void draw_panel(Picture& picture, const std::vector<Parameter>& parameters, std::size_t chosen,
                Rectangle panel, int size);

}  // namespace workbook
