/* A module as a constant table: constexpr ls_module physics = lockstep::module("physics")...
 * Its functions, which a simulation has too, set the list of the same name. */
#ifndef LS_MODULE_HPP
#define LS_MODULE_HPP

#include <lockstep/system.hpp>

namespace lockstep
{

/* The lists of a module or of a simulation. */
template <class Table, class Self> class parts : public Table
{
  public:
    constexpr parts() : Table{}
    {
    }
    template <size_t count> constexpr Self &options(const ls_option (&list)[count])
    {
        Table::options = list;
        Table::option_count = count;
        return self();
    }
    template <size_t count> constexpr Self &components(const ls_component *const (&list)[count])
    {
        Table::components = list;
        Table::component_count = count;
        return self();
    }
    template <size_t count> constexpr Self &lanes(const char *const (&list)[count])
    {
        Table::lanes = list;
        Table::lane_count = count;
        return self();
    }
    template <size_t count> constexpr Self &systems(const ls_system (&list)[count])
    {
        Table::systems = list;
        Table::system_count = count;
        return self();
    }
    template <size_t count> constexpr Self &stages(const ls_stage (&list)[count])
    {
        Table::stages = list;
        Table::stage_count = count;
        return self();
    }
    template <size_t count> constexpr Self &sets(const ls_set (&list)[count])
    {
        Table::sets = list;
        Table::set_count = count;
        return self();
    }
    template <size_t count> constexpr Self &independences(const ls_independence (&list)[count])
    {
        Table::independences = list;
        Table::independence_count = count;
        return self();
    }
    template <size_t count> constexpr Self &pars(const ls_par (&list)[count])
    {
        Table::pars = list;
        Table::par_count = count;
        return self();
    }
    constexpr Self &schedule(const ls_algebra &term)
    {
        Table::schedule = &term;
        return self();
    }
    template <size_t count> constexpr Self &tables(const ls_match_table (&list)[count])
    {
        Table::tables = list;
        Table::table_count = count;
        return self();
    }
    template <size_t count> constexpr Self &operations(const ls_operation (&list)[count])
    {
        Table::operations = list;
        Table::operation_count = count;
        return self();
    }
    template <size_t count>
    constexpr Self &incompatibilities(const ls_incompatibility (&list)[count])
    {
        Table::incompatibilities = list;
        Table::incompatibility_count = count;
        return self();
    }
    template <size_t count> constexpr Self &modules(const ls_module *const (&list)[count])
    {
        Table::modules = list;
        Table::module_count = count;
        return self();
    }
    constexpr Self &setup(const ls_system &first)
    {
        Table::setup = &first;
        return self();
    }
    template <size_t count> constexpr Self &setup(const ls_system (&list)[count])
    {
        Table::setup = list;
        Table::setup_count = count;
        return self();
    }

  private:
    constexpr Self &self()
    {
        return static_cast<Self &>(*this);
    }
};

class module : public parts<ls_module, module>
{
  public:
    constexpr explicit module(const char *called)
    {
        name = called;
    }
};

} // namespace lockstep

#endif
