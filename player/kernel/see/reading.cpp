#include "see/reading.hpp"

#include <algorithm>
#include <cmath>

#include "see/cells.hpp"
#include "see/glyphs.hpp"

namespace mines {
namespace {

constexpr float kEqualGlyph = 0.01f;     // the most by which glyphs of equal pixels differ
constexpr float kSameGlyph = 0.35f;      // the most by which glyphs of one group differ
constexpr float kSameKind = 0.6f;        // the most by which glyphs of one kind differ on any ground
constexpr std::size_t kMostLooks = 160;  // groups of cells that look alike
constexpr std::size_t kFewLooks = 20;    // groups if each has equal pixels
constexpr double kUsualInk = 1;          // the logarithm by which a usual colour makes a clue more probable
constexpr double kFewFlags = 1.5;        // the logarithm by which flags are less probable than clues
constexpr double kTexture = 0.4;         // the share of cells above which a glyph of no clear shape is texture
constexpr float kClearShape = 0.8f;      // the probability of a shape by which glyphs differ
constexpr float kPlainShape = 0.98f;     // the probability of a shape that needs no other glyph beside it
constexpr float kDoubt = 0.015f;         // the least probability of another meaning that counts
constexpr double kUnusual = 0.7;         // the logarithm by which a clue of another picture is less probable
constexpr double kManyClues = 0.15;      // the share of clues on a board that surely has zeros
constexpr int kLargeCells =
    2 * kLargestPitch * kFewestCells;  // pixels of a picture that may show cells above the largest pitch
constexpr double kMostDoubtful = 0.5;  // the share of doubtful cells in a board

// The clues that many programs draw in a colour.
std::vector<int> usual_clues(const Rgb& ink) {
    const float red = ink[0], green = ink[1], blue = ink[2];
    const float most = std::max({red, green, blue}), least = std::min({red, green, blue});
    if (most - least < 50) return {};
    if (blue == most && green < least + 0.6f * (most - least)) return {1, 4};
    if (green == most && blue < least + 0.5f * (most - least)) return {2};
    if (red == most && green < least + 0.3f * (most - least) && blue < least + 0.5f * (most - least)) return {3, 5};
    return {6};
}

// The logarithm of the probability of each meaning of a glyph, from the probabilities of its shapes.
std::array<double, kSymbols> meanings_of(const Glyph& glyph) {
    const std::array<float, kShapes> shapes = shapes_of(glyph);
    std::array<double, kSymbols> logs;
    const double other = shapes[kShapes - 1];
    const bool fills = glyph.wide > 0.7f && glyph.high > 0.7f;  // as texture does
    for (int symbol = 0; symbol < kSymbols; ++symbol) {
        double shape = 0;
        if (1 <= symbol && symbol <= 8) shape = shapes[symbol - 1];
        if (symbol == kFlag) shape = shapes[8];
        if (symbol == kShownMine) shape = shapes[9];
        if (symbol == kQuestion) shape = shapes[10];
        // A glyph of another shape may mean anything.
        const double blank = fills ? 0.4 : 0.13;
        const double any = symbol == kCovered || symbol == 0 ? blank : symbol == kQuestion || fills ? 0.02 : 0.08;
        logs[symbol] = std::log(0.999 * shape + other * any + 1e-3 * any);
    }
    for (const int clue : usual_clues(glyph.ink)) logs[clue] += kUsualInk;
    logs[kFlag] -= kFewFlags;
    return logs;
}

// The meanings of a cell without a glyph: closed or a zero. A raised border speaks for a closed one.
std::array<double, kSymbols> meanings_of_blank(const CellLook& look) {
    std::array<double, kSymbols> logs;
    logs.fill(kImpossible);
    const auto lightness = [](const Rgb& one) { return one[0] + one[1] + one[2]; };
    const float light = lightness(look.sides[0]) + lightness(look.sides[1]);
    const float shadow = -lightness(look.sides[2]) - lightness(look.sides[3]);
    logs[0] = std::log(0.5);
    logs[kCovered] = std::log(0.5) + (light + shadow > 90 && std::min(light, shadow) > 0 ? 4 : 0);
    return logs;
}

std::vector<LookAlike> group_looks(const std::vector<CellLook>& looks, const Lattice& lattice) {
    const int cols = lattice.cols();
    int grounds = 0;
    const std::vector<int> ground = group_grounds(looks, cols, grounds);
    // Glyphs that clearly have two shapes are not alike.
    std::vector<int> clear_shapes(looks.size(), -1);
    for (std::size_t cell = 0; cell < looks.size(); ++cell) {
        if (looks[cell].glyph.is_blank()) continue;
        const std::array<float, kShapes> shapes = shapes_of(looks[cell].glyph);
        const auto best = std::max_element(shapes.begin(), shapes.end());
        if (*best > kClearShape) clear_shapes[cell] = static_cast<int>(best - shapes.begin());
    }
    std::vector<LookAlike> groups;
    // Themes without edges draw numbers on large equal shapes: only equal pixels are one glyph, if few groups are left.
    const float finest = lattice.framed ? kEqualGlyph : kSameGlyph;
    for (float alike = finest; alike < 8; alike = alike < kSameGlyph ? kSameGlyph : 1.4f * alike) {
        groups.clear();
        std::vector<int> leaders;
        for (int cell = 0; cell < static_cast<int>(looks.size()); ++cell) {
            const CellLook& look = looks[cell];
            std::size_t best = groups.size();
            float least = alike;
            for (std::size_t i = 0; i < groups.size(); ++i) {
                const CellLook& leader = looks[leaders[i]];
                if (groups[i].ground != ground[cell] || leader.glyph.is_blank() != look.glyph.is_blank()) continue;
                const int shape = clear_shapes[cell], its_shape = clear_shapes[leaders[i]];
                if (shape != its_shape && shape >= 0 && its_shape >= 0) continue;
                const float apart = look.glyph.is_blank() ? 0 : difference(leader.glyph, look.glyph);
                if (apart < least) least = apart, best = i;
            }
            if (best == groups.size()) {
                groups.push_back({{}, ground[cell], 0, false, false, {}});
                leaders.push_back(cell);
            }
            groups[best].cells.push_back(cell);
        }
        const bool is_fine = alike < kSameGlyph;
        for (LookAlike& group : groups) group.exact = is_fine && group.cells.size() > 1;
        if (groups.size() <= (is_fine ? kFewLooks : kMostLooks)) break;
    }
    // Glyphs that are alike on different grounds are of one kind.
    for (std::size_t i = 0; i < groups.size(); ++i) {
        groups[i].kind = static_cast<int>(i);
        for (std::size_t j = 0; j < i && groups[i].kind == static_cast<int>(i); ++j) {
            const bool is_other = groups[i].exact && groups[j].exact && groups[i].ground == groups[j].ground;
            const float apart = difference(looks[groups[i].cells[0]].glyph, looks[groups[j].cells[0]].glyph);
            if (!is_other && apart < kSameKind) groups[i].kind = groups[j].kind;
        }
    }
    // A glyph that most cells have, or what fills most cells of a large ground, is the texture of the ground.
    std::vector<std::size_t> sizes(static_cast<std::size_t>(grounds)), filled = sizes;
    const auto fills = [](const Glyph& glyph) { return glyph.wide > 0.65f && glyph.high > 0.4f; };
    for (std::size_t cell = 0; cell < looks.size(); ++cell) {
        ++sizes[ground[cell]];
        filled[ground[cell]] +=
            fills(looks[cell].glyph) && (clear_shapes[cell] < 0 || clear_shapes[cell] == kShapes - 1);
    }
    for (LookAlike& group : groups) {
        const Glyph& first = looks[group.cells[0]].glyph;
        const std::size_t size = sizes[group.ground];
        const bool textured = size > 0.3 * looks.size() && filled[group.ground] > size / 2;
        const int shape = clear_shapes[group.cells[0]];
        std::size_t alike = 0;
        for (const LookAlike& other : groups)
            if (other.kind == group.kind && clear_shapes[other.cells[0]] == shape) alike += other.cells.size();
        const bool is_clear = shape >= 0 && shape != kShapes - 1;
        const bool usual = is_clear ? alike == looks.size() : alike > kTexture * looks.size();
        group.plain = first.is_blank() || usual || (textured && fills(first));
        for (const int cell : group.cells) {
            const CellLook& look = looks[cell];
            const auto logs = group.plain ? meanings_of_blank(look) : meanings_of(look.glyph);
            for (int symbol = 0; symbol < kSymbols; ++symbol)
                group.logs[symbol] += logs[symbol] / static_cast<double>(group.cells.size());
        }
    }
    return groups;
}

// Whether two meanings give the same position: it does not depend on marks of the player.
bool same_position(int a, int b) {
    const auto plain = [](int symbol) { return symbol == kQuestion || symbol == kFlag ? int{kCovered} : symbol; };
    return plain(a) == plain(b);
}

// Whether cells like those of the board lie beyond one of its sides: then it was cut off.
bool goes_on(const Picture& picture, const Lattice& lattice, const std::vector<CellLook>& looks,
             const std::vector<LookAlike>& groups, const std::vector<std::uint8_t>& symbols) {
    constexpr int kBeyond = 2;
    std::vector<const CellLook*> closed, known;  // blank ones, and glyphs of different looks
    const auto is_inner = [&](int cell) {
        const std::array<bool, 4>& outer = looks[cell].outer;
        return std::none_of(outer.begin(), outer.end(), [](bool one) { return one; });
    };
    for (const LookAlike& group : groups) {
        if (!group.plain || symbols[group.cells[0]] != kCovered) continue;
        const auto inner = std::find_if(group.cells.begin(), group.cells.end(), is_inner);
        if (inner != group.cells.end()) closed.push_back(&looks[*inner]);
    }
    for (const CellLook& look : looks) {
        if (look.glyph.is_blank() || known.size() > 40) continue;
        const bool is_new = std::none_of(known.begin(), known.end(), [&](const CellLook* one) {
            return difference(one->glyph, look.glyph) < kSameGlyph;
        });
        if (is_new) known.push_back(&look);
    }
    int found = 0;
    for (int row = -kBeyond; row < lattice.rows() + kBeyond; ++row) {
        for (int col = -kBeyond; col < lattice.cols() + kBeyond; ++col) {
            const bool row_inside = 0 <= row && row < lattice.rows(), col_inside = 0 <= col && col < lattice.cols();
            const double left = line_at(lattice.x_lines, col), top = line_at(lattice.y_lines, row);
            if (row_inside == col_inside || left < 0 || top < 0) continue;
            if (left + lattice.across() > picture.width || top + lattice.down() > picture.height) continue;
            const CellLook look = look_at(picture, left, top, lattice.across(), lattice.down());
            if (look.glyph.is_blank()) {
                found += std::any_of(closed.begin(), closed.end(),
                                     [&](const CellLook* one) { return ground_difference(*one, look) < 4; });
                continue;
            }
            found += std::any_of(known.begin(), known.end(), [&](const CellLook* one) {
                return difference(one->glyph, look.glyph) < kSameGlyph && ground_difference(*one, look) < 15;
            });
        }
    }
    return found > 1;
}

// Mark the clues whose glyph looks more like that of another clue on the board than like others of their own, like no
// number, or like no font, without another clue beside it.
void mark_odd_clues(const std::vector<CellLook>& looks, const std::vector<LookAlike>& groups,
                    const std::vector<std::uint8_t>& symbols, std::vector<bool>& odd) {
    constexpr std::size_t kEnough = 5;
    for (const LookAlike& group : groups) {
        if (!is_clue(symbols[group.cells[0]])) continue;
        float own = 0.9f, other = 0.6f;
        bool alone = true;
        for (const LookAlike& near : groups) {
            if (&near == &group || !is_clue(symbols[near.cells[0]])) continue;
            const bool same = symbols[near.cells[0]] == symbols[group.cells[0]];
            alone &= same;
            float& least = same ? own : other;
            least = std::min(least, difference(looks[group.cells[0]].glyph, looks[near.cells[0]].glyph));
        }
        // Numbers are in the middle of their cells, and no thin lines.
        const Glyph& glyph = looks[group.cells[0]].glyph;
        const bool is_strange = std::max(std::abs(glyph.across), std::abs(glyph.down)) > 0.2f;
        const float enough = group.cells.size() < kEnough ? kPlainShape : kClearShape;
        const bool is_plain = shapes_of(glyph)[symbols[group.cells[0]] - 1] > enough;
        if (is_strange || (!is_plain && (alone || (!group.exact && other < 0.6f && other < 0.8f * own))))
            for (const int cell : group.cells) odd[cell] = true;
    }
}

// Mark the cells of rare glyphs that look much more like another meaning.
void mark_overruled(const std::vector<LookAlike>& groups, const std::vector<std::uint8_t>& symbols,
                    std::vector<bool>& odd) {
    constexpr double kMuchMore = 3;
    for (const LookAlike& group : groups) {
        const int symbol = symbols[group.cells[0]];
        bool overruled = false;
        for (int other = 0; other < kSymbols; ++other)
            overruled |= !same_position(other, symbol) && group.logs[other] > group.logs[symbol] + kMuchMore;
        std::size_t alike = 0;
        for (const LookAlike& other : groups)
            if (other.kind == group.kind && symbols[other.cells[0]] == symbol) alike += other.cells.size();
        if (!overruled || alike > 2) continue;
        for (const int cell : group.cells) odd[cell] = true;
    }
}

// Mark the blank cells of a second ground with one meaning, unless two grounds alternate as on a chess board, or the
// second is much more like the first than like the blank cells with the other meaning. Mark glyphs on another ground
// that are no certain flags, too: they may be mines that a lost game shows.
void mark_other_grounds(const std::vector<CellLook>& looks, const std::vector<LookAlike>& groups,
                        const std::vector<std::uint8_t>& symbols, int cols, std::vector<bool>& odd) {
    constexpr float kMuchMore = 0.5f, kUsualContrast = 16, kExploded = 60, kShown = 30;
    constexpr double kUnlike = 1.5;
    constexpr std::size_t kFew = 4;
    const auto parities = [&](const LookAlike& group) {
        int found = 0;
        for (const int cell : group.cells) found |= 1 << ((cell / cols + cell % cols) % 2);
        return found;
    };
    const auto usual_one = [&](int symbol) {
        const LookAlike* usual = nullptr;
        for (const LookAlike& group : groups)
            if (group.plain && symbols[group.cells[0]] == symbol &&
                (!usual || group.cells.size() > usual->cells.size()))
                usual = &group;
        return usual;
    };
    const auto apart = [&](const LookAlike& a, const LookAlike& b) {
        return ground_difference(looks[a.cells[a.cells.size() / 2]], looks[b.cells[b.cells.size() / 2]]);
    };
    // Programs open all neighbours of a zero: one beside another is no closed cell.
    const auto touch = [&](const LookAlike& a, const LookAlike& b) {
        return std::any_of(a.cells.begin(), a.cells.end(), [&](int cell) {
            return std::any_of(b.cells.begin(), b.cells.end(), [&](int near) {
                return std::max(std::abs(cell / cols - near / cols), std::abs(cell % cols - near % cols)) == 1;
            });
        });
    };
    const auto has_clues = [&](int ground) {
        return std::any_of(groups.begin(), groups.end(), [&](const LookAlike& group) {
            return group.ground == ground && is_clue(symbols[group.cells[0]]);
        });
    };
    const LookAlike* const closed = usual_one(kCovered);
    for (const LookAlike& group : groups) {
        const int symbol = symbols[group.cells[0]];
        const float other = closed ? apart(group, *closed) : 255;
        const bool unlike = *std::max_element(group.logs.begin(), group.logs.end()) > group.logs[symbol] + kUnlike;
        const bool is_strange_flag = closed ? group.cells.size() == 1 && other > kExploded : unlike;
        if (symbol == kFlag ? is_strange_flag : symbol == kCovered && !group.plain && closed && other > kShown)
            for (const int cell : group.cells) odd[cell] = true;
    }
    for (const int symbol : {0, int{kCovered}}) {
        const int opposite = symbol == 0 ? kCovered : 0;
        const LookAlike *const usual = usual_one(symbol), *const other = usual_one(opposite);
        for (const LookAlike& group : groups) {
            if (!group.plain || symbols[group.cells[0]] != symbol || group.cells.size() < 3 ||
                group.ground == usual->ground)
                continue;
            if ((parities(group) & parities(*usual)) == 0 || group.logs[symbol] > group.logs[opposite]) continue;
            if (symbol == 0 && (has_clues(group.ground) || touch(group, *usual))) continue;
            if (apart(group, *usual) < kMuchMore * (other ? apart(group, *other) : kUsualContrast)) continue;
            for (const int cell : group.cells) odd[cell] = true;
            // Either may be the wrong one.
            if (kFew * group.cells.size() > usual->cells.size())
                for (const int cell : usual->cells) odd[cell] = true;
        }
    }
}

// Half the size of a picture.
std::vector<std::uint8_t> halved(const Picture& picture) {
    std::vector<std::uint8_t> out;
    out.reserve(3 * static_cast<std::size_t>(picture.width / 2) * (picture.height / 2));
    for (int y = 0; y + 1 < picture.height; y += 2)
        for (int x = 0; x + 1 < picture.width; x += 2)
            for (int c = 0; c < 3; ++c) {
                const std::uint8_t *const upper = picture.at(x, y) + c, *const lower = picture.at(x, y + 1) + c;
                out.push_back(static_cast<std::uint8_t>((upper[0] + upper[3] + lower[0] + lower[3]) / 4));
            }
    return out;
}

}  // namespace

bool read_board(const Picture& picture, const Lattice& lattice, bool logic, BoardReading& out) {
    const std::vector<CellLook> looks = looks_of(picture, lattice);
    const GridRef grid = make_grid(lattice.rows(), lattice.cols());
    const std::vector<LookAlike> groups = group_looks(looks, lattice);
    if (groups.size() > kMostLooks) return false;
    Decision decision = decide(grid, groups, logic);
    if (!decision.found) return false;
    out.lattice = lattice;
    out.symbols = std::move(decision.symbols);
    out.chances = std::move(decision.chances);
    out.fewest_mines = decision.fewest_mines;
    out.most_mines = decision.most_mines;
    const bool is_cut = lattice.may_go_on || goes_on(picture, lattice, looks, groups, out.symbols);
    std::vector<bool> odd(looks.size(), is_cut);
    mark_odd_clues(looks, groups, out.symbols, odd);
    mark_overruled(groups, out.symbols, odd);
    mark_other_grounds(looks, groups, out.symbols, lattice.cols(), odd);
    const bool has_open = std::any_of(out.symbols.begin(), out.symbols.end(), [](int symbol) { return symbol <= 8; });
    // Most clues are opened around zeros: with many clues and no zero, the blank cells may be zeros, too.
    const auto clues = std::count_if(out.symbols.begin(), out.symbols.end(), is_clue);
    const bool has_zeros = std::count(out.symbols.begin(), out.symbols.end(), 0) > 0;
    const bool lacks_zeros = kManyClues * grid->size() < clues && !has_zeros;
    for (const LookAlike& group : groups)
        for (const int cell : group.cells) odd[cell] = odd[cell] || (group.plain ? lacks_zeros : !has_open);
    int glyphs = 0, broken_clues = 0;
    for (int cell = 0; cell < grid->size(); ++cell) {
        const int symbol = out.symbols[cell];
        broken_clues += decision.broken_cells[cell];
        float other = 0;
        for (int i = 0; i < kSymbols; ++i)
            if (!same_position(i, symbol)) other += out.chances[cell][i];
        bool broken = false;
        grid->each_around(cell, [&](int near) { broken |= decision.broken_cells[near] != 0; });
        if (other > kDoubt || !decision.complete || broken || odd[cell]) out.doubtful.push_back(cell);
    }
    for (const LookAlike& group : groups) glyphs += group.plain ? 0 : static_cast<int>(group.cells.size());
    if (clues == 0 && glyphs > grid->size() / 4) return false;
    // In other pictures with numbers, these stand on the ground of the blank cells that would be closed, and none is
    // open.
    int misplaced = 0;
    for (const LookAlike& group : groups) {
        const int symbol = out.symbols[group.cells[0]];
        if (!is_clue(symbol)) continue;
        const bool among_closed = std::any_of(groups.begin(), groups.end(), [&](const LookAlike& other) {
            return other.ground == group.ground && other.plain && out.symbols[other.cells[0]] == kCovered;
        });
        misplaced += among_closed ? static_cast<int>(group.cells.size()) : 0;
    }
    if (2 * misplaced > clues && !has_zeros) return false;
    // The numbers of other pictures are no usual clues.
    const auto mines_shown = std::count(out.symbols.begin(), out.symbols.end(), kShownMine);
    if (decision.evidence < -kUnusual * (clues + 3 + mines_shown / 2)) return false;
    out.sure = out.doubtful.empty();
    if (10 * broken_clues > clues && broken_clues > 0) return false;
    return is_cut || static_cast<double>(out.doubtful.size()) <= kMostDoubtful * grid->size();
}

std::vector<BoardReading> read_boards(const Picture& picture, bool logic) {
    std::vector<BoardReading> found;
    const auto read_all = [&](const std::vector<Lattice>& lattices) {
        for (const Lattice& lattice : lattices) {
            if (lattice.rows() * lattice.cols() > kMostCellsSeen) continue;
            BoardReading one;
            if (read_board(picture, lattice, logic, one)) found.push_back(std::move(one));
        }
    };
    read_all(find_lattices(picture));
    if (std::none_of(found.begin(), found.end(), [](const BoardReading& one) { return one.sure; }))
        read_all(find_framed_lattices(picture));
    std::stable_sort(found.begin(), found.end(),
                     [](const BoardReading& a, const BoardReading& b) { return a.lattice.area() > b.lattice.area(); });
    // A frame within a board is no board, and the reverse. Of two readings of one board, a sure one is better.
    std::vector<BoardReading> apart;
    for (BoardReading& one : found) {
        const auto over = std::find_if(apart.begin(), apart.end(), [&](const BoardReading& other) {
            return overlap(one.lattice, other.lattice) > 0.5;
        });
        const auto is_same = [&](const Lattice& a) {
            return a.rows() == one.lattice.rows() && a.cols() == one.lattice.cols();
        };
        if (over == apart.end())
            apart.push_back(std::move(one));
        else if (one.sure && !over->sure && is_same(over->lattice))
            *over = std::move(one);
    }
    found.swap(apart);
    if (!found.empty() && found[0].sure) return found;
    if (picture.width < kLargeCells || picture.height < kLargeCells) return found;
    // Cells may be larger, and the part that was found their texture.
    const std::vector<std::uint8_t> pixels = halved(picture);
    const int width = picture.width / 2;
    std::vector<BoardReading> large =
        read_boards({pixels.data(), width, picture.height / 2, 3 * static_cast<std::ptrdiff_t>(width)}, logic);
    for (BoardReading& one : large)
        for (Lines* const lines : {&one.lattice.x_lines, &one.lattice.y_lines})
            for (double& line : *lines) line *= 2;
    if (!large.empty() && (found.empty() || large[0].lattice.area() > 2 * found[0].lattice.area())) return large;
    return found;
}

}  // namespace mines
