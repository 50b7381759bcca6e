#include "make/puzzle_ids.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <utility>

#include "base/bits.hpp"
#include "base/field.hpp"

namespace mines {
namespace {

using Word = std::uint32_t;
using Digest = std::array<Word, 8>;

constexpr int kImages = 8;
constexpr std::ptrdiff_t kBlock = 64;        // bytes that SHA-256 hashes at once
constexpr std::ptrdiff_t kLongestHead = 20;  // 4000x4000@3999,3999:
constexpr std::ptrdiff_t kTail = 9;          // a mark and the length

// A padded message for SHA-256.
struct Message {
    const std::uint8_t* bytes;
    std::ptrdiff_t blocks;
};

// A word of each of four messages, so that one instruction hashes all of them.
constexpr int kLanes = 4;
#ifdef __GNUC__
typedef Word Lanes __attribute__((vector_size(kLanes * sizeof(Word))));
#else
struct Lanes {
    Word lane[kLanes];
    Word operator[](int i) const { return lane[i]; }
};
template <class Make>
Lanes each(Make make) {
    return {make(0), make(1), make(2), make(3)};
}
Lanes operator+(Lanes a, Lanes b) {
    return each([&](int i) { return a[i] + b[i]; });
}
Lanes operator^(Lanes a, Lanes b) {
    return each([&](int i) { return a[i] ^ b[i]; });
}
Lanes operator&(Lanes a, Lanes b) {
    return each([&](int i) { return a[i] & b[i]; });
}
Lanes operator|(Lanes a, Lanes b) {
    return each([&](int i) { return a[i] | b[i]; });
}
Lanes operator<<(Lanes a, int by) {
    return each([&](int i) { return a[i] << by; });
}
Lanes operator>>(Lanes a, int by) {
    return each([&](int i) { return a[i] >> by; });
}
#endif

constexpr Digest kStart{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
constexpr Word kRound[] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

Word big_endian(const std::uint8_t* byte) {
    return Word{byte[0]} << 24 | Word{byte[1]} << 16 | Word{byte[2]} << 8 | byte[3];
}

Lanes broadcast(Word word) { return Lanes{word, word, word, word}; }

Lanes rotated(Lanes a, int by) { return a >> by | a << (32 - by); }

// Add a block to the states of four messages (FIPS 180-4, 6.2.2).
void add_block(const std::uint8_t* const (&block)[kLanes], Lanes (&state)[8]) {
    Lanes w[16];
    for (int t = 0; t < 16; ++t)
        w[t] = Lanes{big_endian(block[0] + 4 * t), big_endian(block[1] + 4 * t), big_endian(block[2] + 4 * t),
                     big_endian(block[3] + 4 * t)};
    Lanes a = state[0], b = state[1], c = state[2], d = state[3];
    Lanes e = state[4], f = state[5], g = state[6], h = state[7];
    for (int t = 0; t < 64; ++t) {
        Lanes& word = w[t % 16];
        if (t >= 16) {
            const Lanes before = w[(t + 1) % 16], after = w[(t + 14) % 16];
            word = word + w[(t + 9) % 16] + (rotated(before, 7) ^ rotated(before, 18) ^ before >> 3) +
                   (rotated(after, 17) ^ rotated(after, 19) ^ after >> 10);
        }
        const Lanes first =
            h + word + broadcast(kRound[t]) + (g ^ (e & (f ^ g))) + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25));
        const Lanes second = ((a & b) | (c & (a | b))) + (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22));
        h = g, g = f, f = e, e = d + first;
        d = c, c = b, b = a, a = first + second;
    }
    const Lanes sum[] = {a, b, c, d, e, f, g, h};
    for (int i = 0; i < 8; ++i) state[i] = state[i] + sum[i];
}

// Hash four messages. All can be read as far as the longest one.
void sha256(const Message* messages, Digest* digests) {
    Lanes state[8];
    for (int i = 0; i < 8; ++i) state[i] = broadcast(kStart[static_cast<std::size_t>(i)]);
    const std::uint8_t* blocks[kLanes];
    std::ptrdiff_t most = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
        blocks[lane] = messages[lane].bytes;
        most = std::max(most, messages[lane].blocks);
    }
    for (std::ptrdiff_t done = 1; done <= most; ++done) {
        add_block(blocks, state);
        for (int lane = 0; lane < kLanes; ++lane) {
            blocks[lane] += kBlock;
            if (messages[lane].blocks != done) continue;
            for (int i = 0; i < 8; ++i) digests[lane][static_cast<std::size_t>(i)] = state[i][lane];
        }
    }
}

std::string twenty_digits(const Digest& digest) {
    std::string digits(20, '0');
    for (std::size_t i = 0; i < digits.size(); ++i)
        digits[i] = "0123456789abcdef"[digest[i / 8] >> (28 - 4 * (i % 8)) & 15];
    return digits;
}

// Return the first 80 bits of the SHA-256 of a text.
std::string id_of(const std::string& text) {
    const auto size = static_cast<std::ptrdiff_t>(text.size());
    const std::ptrdiff_t blocks = (size + kTail + kBlock - 1) / kBlock;
    std::vector<std::uint8_t> padded(text.begin(), text.end());
    padded.push_back(0x80);
    padded.resize(static_cast<std::size_t>(blocks * kBlock), 0);
    for (std::size_t bits = 8 * text.size(), i = padded.size(); bits > 0; bits >>= 8)
        padded[--i] = static_cast<std::uint8_t>(bits);
    const Message message{padded.data(), blocks};
    const Message messages[kLanes] = {message, message, message, message};
    Digest digests[kLanes];
    sha256(messages, digests);
    return twenty_digits(digests[0]);
}

// Return the text that an id hashes, of an image of a puzzle on another grid than the rectangle. `moved` gives the row
// and the column of each cell in the image, which has this kind and these sides.
template <class Moved>
std::string text_of(const Puzzle& puzzle, int kind, int rows, int cols, Moved moved) {
    const auto packed = [&](const std::vector<std::uint8_t>& marks) {
        std::string bits((marks.size() + 7) / 8, 0);
        for (std::size_t cell = 0; cell < marks.size(); ++cell) {
            if (marks[cell] == 0) continue;
            const auto [row, col] = moved(static_cast<int>(cell));
            const auto number = static_cast<std::size_t>(row * cols + col);
            bits[number / 8] = static_cast<char>(bits[number / 8] | 128 >> number % 8);
        }
        return bits;
    };
    const auto [row, col] = moved(puzzle.click);
    const auto text = [](int number) { return std::to_string(number); };
    const std::vector<std::uint8_t>& holes = puzzle.grid->holes;
    return text(rows) + "x" + text(cols) + "~" + text(kind) + (holes.empty() ? "" : "~" + packed(holes)) + "@" +
           text(row) + "," + text(col) + ":" + packed(puzzle.mine);
}

// The images of a puzzle on another grid than the rectangle, as the texts that its ids hash: Grid.images in
// player/core/grid.py defines them.
std::vector<std::string> texts_of_images(const Puzzle& puzzle) {
    const Grid& grid = *puzzle.grid;
    const auto is = [&](int bit) { return (grid.kind & bit) != 0; };
    const auto lacks = [&](int k) { return (grid.kind / kLacking >> k & 1) != 0; };
    const auto modulo = [](int a, int side) { return (a % side + side) % side; };
    // Odd rows of hexagons lie half a cell to the right: count columns in half cells.
    const int unit = is(kHexagons) ? 2 : 1;
    std::vector<std::string> texts;
    for (int symmetry = 0; symmetry < kImages; ++symmetry) {
        const bool down = (symmetry & 1) != 0, back = (symmetry & 2) != 0, turned = (symmetry & 4) != 0;
        if (turned && is(kHexagons)) continue;
        // Neighbours 0, 1 and 3 are up left, up and left; 2 and 7 - 2 are the other diagonal.
        if ((turned && lacks(1) != lacks(3)) || (down != back && lacks(0) != lacks(2))) continue;
        const int rows = turned ? grid.cols : grid.rows, cols = turned ? grid.rows : grid.cols;
        const bool wrap_rows = is(turned ? kWrapCols : kWrapRows), wrap_cols = is(turned ? kWrapRows : kWrapCols);
        const auto place = [&](int cell) {
            int row = cell / grid.cols, col = unit * (cell % grid.cols) + row % unit;
            col = back ? unit * grid.cols - 1 - col : col;
            row = down ? grid.rows - 1 - row : row;
            if (turned) std::swap(row, col);
            return std::pair{row, col};
        };
        const auto [click_row, click_col] = place(puzzle.click);
        const int up = wrap_rows ? click_row - (wrap_cols ? 0 : click_col % unit) : 0;
        const int left = wrap_cols ? click_col - (click_row - up) % unit : 0;
        if ((click_row - up + click_col - left) % unit != 0) continue;
        const auto moved = [&](int cell) {
            const auto [row, col] = place(cell);
            const int image_row = modulo(row - up, rows);
            return std::pair{image_row, modulo(col - left - image_row % unit, unit * cols) / unit};
        };
        const int kind =
            (wrap_rows ? kWrapRows : 0) | (wrap_cols ? kWrapCols : 0) | (grid.kind & ~(kWrapRows | kWrapCols));
        texts.push_back(text_of(puzzle, kind, rows, cols, moved));
    }
    return texts;
}

PuzzleIds ids_on_grid(const Puzzle& puzzle) {
    const Grid& grid = *puzzle.grid;
    const std::string text = text_of(puzzle, grid.kind, grid.rows, grid.cols,
                                     [&](int cell) { return std::pair{cell / grid.cols, cell % grid.cols}; });
    PuzzleIds ids{id_of(text), {}, {}};
    const std::size_t bytes = (puzzle.mine.size() + 7) / 8;
    ids.mine_bits.assign(text.end() - static_cast<std::ptrdiff_t>(bytes), text.end());
    for (const std::string& image : texts_of_images(puzzle)) {
        const std::string id = id_of(image);
        if (ids.canonical_id.empty() || id < ids.canonical_id) ids.canonical_id = id;
    }
    return ids;
}

}  // namespace

PuzzleIds puzzle_ids(const Puzzle& puzzle) {
    if (!puzzle.grid->is_rectangle) return ids_on_grid(puzzle);
    const int rows = puzzle.grid->rows, cols = puzzle.grid->cols;
    const std::uint8_t* const mine = puzzle.mine.data();
    const std::ptrdiff_t size = static_cast<std::ptrdiff_t>(rows) * cols;
    const std::ptrdiff_t bytes = (size + 7) / 8;
    const std::ptrdiff_t room = (kLongestHead + bytes + kTail + kBlock - 1) / kBlock * kBlock;
    std::vector<std::uint8_t> image(static_cast<std::size_t>(8 + 8 * bytes));  // zeros before and after the cells
    std::uint8_t* const cells = image.data() + 8;
    std::vector<std::uint8_t> text(static_cast<std::size_t>(kImages * room));
    Message messages[kImages];
    // Write the message of the image, or of the one turned by 180 degrees, and return its mines.
    const auto write = [&](int symmetry, bool turned, int height, int width, int row, int col) {
        std::uint8_t* const begin = text.data() + symmetry * room;
        char* head = reinterpret_cast<char*>(begin);
        for (const auto& [number, mark] : {std::pair{height, 'x'}, {width, '@'}, {row, ','}, {col, ':'}}) {
            head = std::to_chars(head, head + 4, number).ptr;
            *head++ = mark;
        }
        std::uint8_t* out = reinterpret_cast<std::uint8_t*>(head);
        for (std::ptrdiff_t i = 0; i < 8 * bytes; i += 8)
            *out++ =
                static_cast<std::uint8_t>(turned ? pack_eight(cells + size - 8 - i) : pack_eight<false>(cells + i));
        *out = 0x80;
        const std::ptrdiff_t blocks = (out - begin + kTail + kBlock - 1) / kBlock;
        for (std::ptrdiff_t bits = 8 * (out - begin), i = blocks * kBlock; bits > 0; bits >>= 8)
            begin[--i] = static_cast<std::uint8_t>(bits);
        messages[symmetry] = {begin, blocks};
        return reinterpret_cast<const std::uint8_t*>(head);
    };
    // Write the messages of an image and of the one turned by 180 degrees, which is the same array backwards. `corner`
    // is the first cell of the image; `right` and `down` are the steps on the board to its next column and row.
    const auto add = [&](int symmetry, std::ptrdiff_t corner, int right, int down, int row, int col) {
        const int height = symmetry % 2 ? cols : rows;
        const int width = symmetry % 2 ? rows : cols;
        std::uint8_t* out = cells;
        for (int r = 0; r < height; ++r, corner += down)
            for (int c = 0; c < width; ++c) *out++ = mine[corner + c * right];
        const std::uint8_t* const bits = write(symmetry, false, height, width, row, col);
        write(symmetry + 2, true, height, width, height - 1 - row, width - 1 - col);
        return bits;
    };
    const int row = puzzle.click / cols, col = puzzle.click % cols;
    const std::uint8_t* const bits = add(0, 0, 1, cols, row, col);
    add(1, cols - 1, cols, -1, cols - 1 - col, row);
    add(4, cols - 1, -1, cols, row, cols - 1 - col);
    add(5, size - 1, -cols, -1, cols - 1 - col, rows - 1 - row);
    Digest digests[kImages];
    sha256(messages, digests);
    sha256(messages + kLanes, digests + kLanes);
    return {
        twenty_digits(digests[0]), twenty_digits(*std::min_element(digests, digests + kImages)), {bits, bits + bytes}};
}

}  // namespace mines
