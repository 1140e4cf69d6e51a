/* The cells of a span as a range: what read() and write() of a term give for a span. */
#ifndef LS_CELLS_HPP
#define LS_CELLS_HPP

#include <cstdint>

namespace lockstep
{

/* The cells of a span, for `for (place &at : cells)` and cells[i]; not checked. */
template <class Cell> class cells
{
  public:
    constexpr cells(Cell *first, uint32_t count) noexcept : first_(first), count_(count)
    {
    }
    constexpr Cell *begin() const noexcept
    {
        return first_;
    }
    constexpr Cell *end() const noexcept
    {
        return first_ + count_;
    }
    constexpr uint32_t size() const noexcept
    {
        return count_;
    }
    constexpr Cell &operator[](uint32_t i) const noexcept
    {
        return first_[i];
    }

  private:
    Cell *first_;
    uint32_t count_;
};

} // namespace lockstep

#endif
