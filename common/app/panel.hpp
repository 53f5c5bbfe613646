// The panel of parameters beside the fluid: a row for each, with its name, its value, and a slider
// for the mouse. Those from earlier chapters are folded under one line. It knows nothing of what
// they mean.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "common/app/parameter.hpp"
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

/// How the reader has left the panel.
struct PanelState {
    std::size_t chosen = 0;  ///< the parameter that + and - change
    bool shows_earlier = false;  ///< those from earlier chapters are listed, too
};

/// The numbers of the parameters that the panel lists, in its order: this chapter's first. One that
/// means nothing now is not listed.
std::vector<std::size_t> listed(const std::vector<Parameter>& parameters, bool shows_earlier);

/// The chosen parameter, or the first one if that is not listed; nothing if none is.
std::optional<std::size_t> chosen_of(const std::vector<Parameter>& parameters, PanelState state);

/// Chooses the listed parameter that comes so many after the chosen one.
void choose_further(const std::vector<Parameter>& parameters, PanelState& state, int further);

/// Lists the parameters from earlier chapters, and chooses the first of them; or folds them again.
void fold_or_unfold(const std::vector<Parameter>& parameters, PanelState& state);

/// A row in a panel: a parameter's, whose slider fills all of it; or the line under which those
/// from earlier chapters are folded.
struct PanelRow {
    std::optional<std::size_t> parameter;
    Rectangle place;
};

/// How wide a panel in letters of that size is.
int panel_width(int size);

/// The rows that the panel has room for; where it has not room for all, the chosen one is among
/// them, and so is the line of the folded ones.
std::vector<PanelRow> panel_rows(const std::vector<Parameter>& parameters, PanelState state,
                                 Rectangle panel, int size);

/// The slider's place under the mouse at column x.
double place_in(const PanelRow& row, int x);

/// Draws the panel in letters of that size.
void draw_panel(Picture& picture, const std::vector<Parameter>& parameters, PanelState state,
                Rectangle panel, int size);

}  // namespace workbook
