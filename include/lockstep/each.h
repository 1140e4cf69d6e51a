/* Repeats a macro for each item of a list: LS_EACH_(f, c, a, b) is f(c, a) f(c, b), for up to 256
 * items. Simulations do not use it; LS_COMPONENT (include/lockstep/define.h) and LS_TERMS
 * (include/lockstep/terms.h) do.
 *
 * A macro cannot expand itself. So a step handles eight items and ends with the name of the step,
 * which LS_NOTHING_ keeps from expanding; LS_SCAN_ reads the text again, and so expands it.
 * It is a system header for the reason in include/lockstep/define_table.h. */
#ifndef LS_EACH_H
#define LS_EACH_H
#pragma GCC system_header

#define LS_NOTHING_()
#define LS_UNPACK_(...)               __VA_ARGS__
#define LS_SECOND_OF_(a, second, ...) second
#define LS_SECOND_(...)               LS_SECOND_OF_(__VA_ARGS__)

/* The end of a list is the item (). */
#define LS_EACH_END_(...) ~, LS_EACH_STOP_
#define LS_EACH_STOP_(...)
#define LS_EACH_GO_OR_STOP_(item, go) LS_SECOND_(LS_EACH_END_ item, go, ~)

#define LS_EACH_(f, c, ...) LS_SCAN_(LS_EACH_1_(f, c, __VA_ARGS__, (), ()))
/* LS_EACH_ for use in the `f` of another list, whose LS_SCAN_ reads this text again, too. */
#define LS_EACH_WITHIN_(f, c, ...)                                                                 \
    LS_THIS_LIST_IS_TOO_LONG LS_NOTHING_()()(f, c, __VA_ARGS__, (), ())
#define LS_THIS_LIST_IS_TOO_LONG() LS_EACH_1_

#define LS_EACH_1_(f, c, item, ...)                                                                \
    LS_EACH_GO_OR_STOP_(item, LS_EACH_GO_1_)(f, c, item, __VA_ARGS__)
#define LS_EACH_2_(f, c, item, ...)                                                                \
    LS_EACH_GO_OR_STOP_(item, LS_EACH_GO_2_)(f, c, item, __VA_ARGS__)
#define LS_EACH_3_(f, c, item, ...)                                                                \
    LS_EACH_GO_OR_STOP_(item, LS_EACH_GO_3_)(f, c, item, __VA_ARGS__)
#define LS_EACH_4_(f, c, item, ...)                                                                \
    LS_EACH_GO_OR_STOP_(item, LS_EACH_GO_4_)(f, c, item, __VA_ARGS__)
#define LS_EACH_5_(f, c, item, ...)                                                                \
    LS_EACH_GO_OR_STOP_(item, LS_EACH_GO_5_)(f, c, item, __VA_ARGS__)
#define LS_EACH_6_(f, c, item, ...)                                                                \
    LS_EACH_GO_OR_STOP_(item, LS_EACH_GO_6_)(f, c, item, __VA_ARGS__)
#define LS_EACH_7_(f, c, item, ...)                                                                \
    LS_EACH_GO_OR_STOP_(item, LS_EACH_GO_7_)(f, c, item, __VA_ARGS__)
#define LS_EACH_8_(f, c, item, ...)                                                                \
    LS_EACH_GO_OR_STOP_(item, LS_EACH_GO_8_)(f, c, item, __VA_ARGS__)
#define LS_EACH_GO_1_(f, c, item, ...) f(c, item) LS_EACH_2_(f, c, __VA_ARGS__)
#define LS_EACH_GO_2_(f, c, item, ...) f(c, item) LS_EACH_3_(f, c, __VA_ARGS__)
#define LS_EACH_GO_3_(f, c, item, ...) f(c, item) LS_EACH_4_(f, c, __VA_ARGS__)
#define LS_EACH_GO_4_(f, c, item, ...) f(c, item) LS_EACH_5_(f, c, __VA_ARGS__)
#define LS_EACH_GO_5_(f, c, item, ...) f(c, item) LS_EACH_6_(f, c, __VA_ARGS__)
#define LS_EACH_GO_6_(f, c, item, ...) f(c, item) LS_EACH_7_(f, c, __VA_ARGS__)
#define LS_EACH_GO_7_(f, c, item, ...) f(c, item) LS_EACH_8_(f, c, __VA_ARGS__)
#define LS_EACH_GO_8_(f, c, item, ...)                                                             \
    f(c, item) LS_THIS_LIST_IS_TOO_LONG LS_NOTHING_()()(f, c, __VA_ARGS__)

#define LS_SCAN_(...)   LS_SCAN_3_(LS_SCAN_3_(LS_SCAN_3_(LS_SCAN_3_(__VA_ARGS__))))
#define LS_SCAN_3_(...) LS_SCAN_2_(LS_SCAN_2_(LS_SCAN_2_(__VA_ARGS__)))
#define LS_SCAN_2_(...) LS_SCAN_1_(LS_SCAN_1_(LS_SCAN_1_(__VA_ARGS__)))
#define LS_SCAN_1_(...) __VA_ARGS__

/* LS_STATIC_ASSERT of a system header: the message shows the user's line. */
#ifdef __cplusplus
#define LS_ASSERT_ static_assert
#else
#define LS_ASSERT_ _Static_assert
#endif
#define LS_DEMAND_(condition, text) LS_ASSERT_(condition, text)

/* Calls the macro VISITOR##FORM, where the form is the first item of the tuple, with the other
 * items. Calls VISITOR##UNKNOWN when `tuple` is no tuple. */
#define LS_VISIT_(visitor, c, text, tuple)                                                         \
    LS_SECOND_(LS_IS_TUPLE_ tuple, LS_VISIT_UNKNOWN_, ~)(visitor, c, text, tuple)
#define LS_IS_TUPLE_(...)                          ~, LS_VISIT_TUPLE_
#define LS_VISIT_UNKNOWN_(visitor, c, text, tuple) visitor##UNKNOWN(c, text)
#define LS_VISIT_TUPLE_(visitor, c, text, tuple)   LS_VISIT_PARTS_(visitor, c, LS_UNPACK_ tuple)
#define LS_VISIT_PARTS_(visitor, c, ...)           LS_VISIT_FORM_(visitor, c, __VA_ARGS__)
#define LS_VISIT_FORM_(visitor, c, form, ...)      visitor##form(c, __VA_ARGS__)

/* The text around the items of an array that lasts as long as the program, at file scope. */
// clang-format off
#ifdef __cplusplus
#define LS_LASTING_(type) []() -> const type * { static const type lasting_[] = {
#define LS_LASTING_END_ }; return lasting_; }()
#else
#define LS_LASTING_(type) (const type[]){
#define LS_LASTING_END_ }
#endif
// clang-format on
/* A list that ends with an all-zero item. In C++, and at file scope in C, it lasts; in a function
 * in C as long as its block. In C++ a table with such a list is const, and not constexpr. */
#define LS_LIST_OF_(type, ...) LS_LASTING_(type) __VA_ARGS__, LS_ZERO_ LS_LASTING_END_
#ifdef __cplusplus
#define LS_ZERO_                                                                                   \
    {                                                                                              \
    }
#else
#define LS_ZERO_                                                                                   \
    {                                                                                              \
        0                                                                                          \
    }
#endif

#endif
