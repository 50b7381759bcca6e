#include "make/puzzle_ids.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <utility>

#include "base/bits.hpp"

namespace mines {
namespace {

using Word = std::uint32_t;
using Digest = std::array<Word, 8>;

constexpr std::size_t kBlock = 64;  // bytes that SHA-256 hashes at once
constexpr int kImages = 8;

// Several messages are hashed at once, one in each lane of vector registers.
#ifdef __GNUC__
constexpr int kLanes = 4;
using Lanes = Word __attribute__((vector_size(4 * kLanes)));
#else
constexpr int kLanes = 1;
using Lanes = Word;
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

Lanes rotated(Lanes a, int by) { return a >> by | a << (32 - by); }

// Add a block of each message to the states (FIPS 180-4, 6.2.2).
void add_blocks(const std::uint8_t* const (&blocks)[kLanes], Lanes (&state)[8]) {
    Lanes w[64];
    for (int t = 0; t < 16; ++t) {
        Word words[kLanes];
        for (int lane = 0; lane < kLanes; ++lane) {
            const std::uint8_t* const b = blocks[lane] + 4 * t;
            words[lane] = Word{b[0]} << 24 | Word{b[1]} << 16 | Word{b[2]} << 8 | b[3];
        }
        std::memcpy(&w[t], words, sizeof words);
    }
    for (int t = 16; t < 64; ++t) {
        const Lanes before = w[t - 15], after = w[t - 2];
        w[t] = w[t - 16] + w[t - 7] + (rotated(before, 7) ^ rotated(before, 18) ^ before >> 3) +
               (rotated(after, 17) ^ rotated(after, 19) ^ after >> 10);
    }
    auto [a, b, c, d, e, f, g, h] = state;
    for (int t = 0; t < 64; ++t) {
        const Lanes first =
            h + w[t] + kRound[t] + (g ^ (e & (f ^ g))) + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25));
        const Lanes second = ((a & b) | (c & (a | b))) + (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22));
        h = g, g = f, f = e, e = d + first;
        d = c, c = b, b = a, a = first + second;
    }
    const Lanes sum[8]{a, b, c, d, e, f, g, h};
    for (int i = 0; i < 8; ++i) state[i] += sum[i];
}

// Hash messages, which are padded in place.
void sha256(std::array<std::vector<std::uint8_t>, kImages>& messages, std::array<Digest, kImages>& digests) {
    std::size_t longest = 0;
    for (std::vector<std::uint8_t>& message : messages) {
        const std::uint64_t bits = 8 * std::uint64_t{message.size()};
        message.push_back(0x80);
        message.resize((message.size() + 8 + kBlock - 1) / kBlock * kBlock);
        for (std::size_t i = 0; i < 8; ++i) message[message.size() - 1 - i] = static_cast<std::uint8_t>(bits >> 8 * i);
        longest = std::max(longest, message.size());
    }
    for (std::size_t first = 0; first < kImages; first += kLanes) {
        Lanes state[8];
        for (std::size_t i = 0; i < kStart.size(); ++i) state[i] = Lanes{} + kStart[i];
        for (std::size_t at = 0; at < longest; at += kBlock) {
            const std::uint8_t* blocks[kLanes];
            // A shorter message repeats its last block, without effect on its digest.
            for (std::size_t lane = 0; lane < kLanes; ++lane) {
                const std::vector<std::uint8_t>& message = messages[first + lane];
                blocks[lane] = &message[std::min(at, message.size() - kBlock)];
            }
            add_blocks(blocks, state);
            for (std::size_t lane = 0; lane < kLanes; ++lane) {
                if (messages[first + lane].size() != at + kBlock) continue;
                for (std::size_t i = 0; i < kStart.size(); ++i)
                    std::memcpy(&digests[first + lane][i], reinterpret_cast<const Word*>(&state[i]) + lane, sizeof(Word));
            }
        }
    }
}

std::string twenty_digits(const Digest& digest) {
    std::string digits(20, '0');
    for (std::size_t i = 0; i < digits.size(); ++i)
        digits[i] = "0123456789abcdef"[digest[i / 8] >> (28 - 4 * (i % 8)) & 15];
    return digits;
}

}  // namespace

PuzzleIds puzzle_ids(const Puzzle& puzzle) {
    const int rows = puzzle.rows, cols = puzzle.cols;
    std::vector<std::uint8_t> transposed(puzzle.mine.size());
    for (int row = 0; row < rows; ++row)
        for (int col = 0; col < cols; ++col) transposed[col * rows + row] = puzzle.mine[row * cols + col];
    const std::vector<std::uint8_t> backwards(puzzle.mine.rbegin(), puzzle.mine.rend());
    const std::vector<std::uint8_t> transposed_backwards(transposed.rbegin(), transposed.rend());
    std::vector<std::uint8_t> image((puzzle.mine.size() + 7) / 8 * 8);
    std::array<std::vector<std::uint8_t>, kImages> messages;
    PuzzleIds ids;
    for (int symmetry = 0; symmetry < kImages; ++symmetry) {
        int height = rows, width = cols, row = puzzle.click / cols, col = puzzle.click % cols;
        const bool turn = (symmetry & 1) != 0, flip = (symmetry & 2) != 0, mirror = (symmetry & 4) != 0;
        if (turn) {
            std::swap(height, width);
            std::swap(row, col);
        }
        if (flip) row = height - 1 - row;
        if (mirror) col = width - 1 - col;
        // Backwards, rows are mirrored and their order is flipped.
        const auto cells =
            (mirror ? turn ? transposed_backwards : backwards : turn ? transposed : puzzle.mine).begin();
        for (int r = 0; r < height; ++r)
            std::copy_n(cells + (flip != mirror ? height - 1 - r : r) * width, width, image.begin() + r * width);
        std::vector<std::uint8_t>& message = messages[static_cast<std::size_t>(symmetry)];
        message.reserve(image.size() / 8 + 2 * kBlock);
        for (const auto& [number, mark] : {std::pair{height, 'x'}, {width, '@'}, {row, ','}, {col, ':'}}) {
            const std::string digits = std::to_string(number) + mark;
            message.insert(message.end(), digits.begin(), digits.end());
        }
        const std::size_t head = message.size();
        message.resize(head + image.size() / 8);
        for (std::size_t i = 0; i < image.size() / 8; ++i)
            message[head + i] = static_cast<std::uint8_t>(pack_eight<false>(&image[8 * i]));
        if (symmetry == 0) ids.mine_bits.assign(message.begin() + static_cast<std::ptrdiff_t>(head), message.end());
    }
    std::array<Digest, kImages> digests;
    sha256(messages, digests);
    ids.id = twenty_digits(digests[0]);
    ids.canonical_id = twenty_digits(*std::min_element(digests.begin(), digests.end()));
    return ids;
}

}  // namespace mines
