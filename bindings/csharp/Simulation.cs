using System;
using System.Collections.Generic;
using System.IO;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Lockstep.Native;

namespace Lockstep
{
    /// <summary>A simulation's module (.so or .dll) and its checked program. Sessions and replays that use it keep it alive.</summary>
    public sealed unsafe class Simulation : IDisposable
    {
        readonly ls_sim* sim;
        readonly Dictionary<string, Component> components = new Dictionary<string, Component>();
        internal readonly Handle Program;

        /// <summary>Throws LockstepException: no such file, a module of another version, one whose floats differ ...</summary>
        public Simulation(string path)
        {
            Library.Load();
            sim = Open(path);
            ls_program* made;
            ls_error error;
            LockstepException.Check(Api.ls_program_create(sim, &made, &error), &error);
            Program = new Handle((IntPtr)made, one => Api.ls_program_destroy((ls_program*)one));
            for (uint i = 0; i < sim->component_count; i++)
            {
                Component one = new Component(this, sim->components[i]);
                components[one.Name] = one;
            }
            for (uint i = 0; i < Api.ls_program_column_count(made); i++)
                if (components.TryGetValue(Text.Read(Api.ls_program_component(made, i)->name), out Component stored))
                    stored.Column = (int)i;
        }

        static ls_sim* Open(string path)
        {
            if (!File.Exists(path))
                throw new LockstepException(ls_status.LS_ERROR_NOT_FOUND, $"{path}: no such file; a simulation's module is looked for");
            // Without a folder, the loader would search the system's.
            IntPtr module = SharedObject.Open(System.IO.Path.GetFullPath(path), false, out string reason);
            if (module == IntPtr.Zero)
                throw new LockstepException(ls_status.LS_ERROR_INCOMPATIBLE,
                                            $"{path} cannot be loaded ({reason}); rebuild it against this version");
            IntPtr export = SharedObject.Find(module, Constants.LS_SIM_EXPORT_NAME);
            IntPtr faults = SharedObject.Find(module, Constants.LS_SIM_FLOAT_FAULTS_NAME);
            if (export == IntPtr.Zero || faults == IntPtr.Zero)
                throw new LockstepException(ls_status.LS_ERROR_USAGE,
                                            $"{path} is no simulation: it has no {(export == IntPtr.Zero ? Constants.LS_SIM_EXPORT_NAME : Constants.LS_SIM_FLOAT_FAULTS_NAME)}(); build it with lockstep_add_simulation()");
            uint found = Marshal.GetDelegateForFunctionPointer<ls_float_probe_function>(faults)();
            ls_error error;
            fixed (byte* name = Text.Encode(path))
                LockstepException.Check(Api.ls_float_check(found, name, &error), &error);
            ls_sim* made = Marshal.GetDelegateForFunctionPointer<ls_sim_export_function>(export)();
            if (made == null)
                throw new LockstepException(ls_status.LS_ERROR_USAGE, $"{path}: {Constants.LS_SIM_EXPORT_NAME}() gave NULL");
            return made; // the module stays loaded as long as the process
        }

        public string Name
        {
            get { return Text.Read(sim->name); }
        }

        /// <summary>The description itself, for what has no member here.</summary>
        public ls_sim* Description
        {
            get { return sim; }
        }

        /// <summary>How many bytes a player's state input has.</summary>
        public int StateBytes
        {
            get { return (int)sim->state_bytes; }
        }

        public IEnumerable<Component> Components
        {
            get { return components.Values; }
        }

        public Component this[string name]
        {
            get
            {
                if (components.TryGetValue(name, out Component found))
                    return found;
                throw new LockstepException(ls_status.LS_ERROR_NOT_FOUND,
                                            $"{Name} has no component {name}; it has {string.Join(", ", components.Keys)}");
            }
        }

        /// <summary>The entities that have all these components. Make it once, and walk worlds with it.</summary>
        public Query Query(params string[] names)
        {
            return new Query(this, Array.ConvertAll(names, name => this[name]));
        }

        /// <summary>What the simulation's bot would hold; null if it has no state inputs.</summary>
        public byte[] BotState(World world, int player)
        {
            if (sim->state_bytes == 0 || sim->bot_state == IntPtr.Zero)
                return null;
            byte[] state = new byte[sim->state_bytes];
            fixed (byte* bytes = state)
                Marshal.GetDelegateForFunctionPointer<ls_sim_bot_state>(sim->bot_state)(world.At, (uint)player, bytes);
            return state;
        }

        /// <summary>The order that the simulation's bot would give; empty for none.</summary>
        public byte[] BotOrder(World world, int player)
        {
            if (sim->bot == IntPtr.Zero)
                return Array.Empty<byte>();
            byte* bytes = stackalloc byte[(int)Constants.LS_INPUT_BYTES_MAX];
            uint count = Marshal.GetDelegateForFunctionPointer<ls_sim_bot>(sim->bot)(world.At, (uint)player, bytes);
            return new ReadOnlySpan<byte>(bytes, (int)count).ToArray();
        }

        public void Dispose()
        {
            Program.Dispose();
        }
    }

    /// <summary>One member of a component's cell, as the simulation describes it.</summary>
    public sealed unsafe class Field
    {
        public string Name { get; }
        public ls_type Type { get; }
        public int Offset { get; }
        public int Bytes { get; }
        /// <summary>How many numbers: the length of an array, two for each LS_TYPE_FIX2, three for each LS_TYPE_FIX3.</summary>
        public int Count { get; }
        readonly int unit;

        internal Field(ls_field* field)
        {
            Name = Text.Read(field->name);
            Type = field->type;
            Offset = (int)field->offset;
            Bytes = (int)field->bytes;
            unit = (int)Api.ls_type_unit(field->type);
            Count = Bytes / unit;
        }

        /// <summary>The number as the cell has it. A ulong beyond long's range becomes negative.</summary>
        public long Raw(ReadOnlySpan<byte> cell, int index = 0)
        {
            if (index < 0 || index >= Count)
                throw new ArgumentOutOfRangeException(nameof(index));
            ReadOnlySpan<byte> at = cell.Slice(Offset + index * unit, unit);
            bool isSigned = Api.ls_type_is_vector(Type) || Api.ls_type_is_signed(Type);
            switch (unit)
            {
            case 1: return isSigned ? (long)(sbyte)at[0] : at[0];
            case 2: return isSigned ? (long)MemoryMarshal.Read<short>(at) : MemoryMarshal.Read<ushort>(at);
            case 4: return isSigned ? (long)MemoryMarshal.Read<int>(at) : MemoryMarshal.Read<uint>(at);
            default: return MemoryMarshal.Read<long>(at);
            }
        }

        /// <summary>For pictures: a fixed-point number as a double, which holds it exactly; an angle in turns.</summary>
        public double Number(ReadOnlySpan<byte> cell, int index = 0)
        {
            long raw = Raw(cell, index);
            switch (Type)
            {
            case ls_type.LS_TYPE_FIX:
            case ls_type.LS_TYPE_FIX2:
            case ls_type.LS_TYPE_FIX3:
            case ls_type.LS_TYPE_ANGLE: return raw / 65536.0;
            case ls_type.LS_TYPE_U64:
            case ls_type.LS_TYPE_ENTITY: return (ulong)raw;
            default: return raw;
            }
        }
    }

    /// <summary>A component: its cells are read by its fields, or as structs of yours that have the same.</summary>
    public sealed unsafe class Component
    {
        internal readonly ls_component* At;
        internal int Column = -1; // of an event: it is not part of the state
        readonly Dictionary<string, Field> fields = new Dictionary<string, Field>();
        readonly HashSet<Type> checkedTypes = new HashSet<Type>();
        public Simulation Simulation { get; }
        public string Name { get; }
        public int Bytes { get; }
        public bool IsSingleton { get; }
        public bool IsEvent { get; }

        internal Component(Simulation simulation, ls_component* component)
        {
            Simulation = simulation;
            At = component;
            Name = Text.Read(component->name);
            Bytes = (int)component->bytes;
            IsSingleton = component->is_singleton;
            IsEvent = component->event_ticks != 0;
            for (uint i = 0; i < component->field_count; i++)
            {
                Field field = new Field(&component->fields[i]);
                fields[field.Name] = field;
            }
        }

        public IEnumerable<Field> Fields
        {
            get { return fields.Values; }
        }

        public Field this[string name]
        {
            get
            {
                if (fields.TryGetValue(name, out Field found))
                    return found;
                throw new LockstepException(ls_status.LS_ERROR_NOT_FOUND,
                                            $"component {Name} of {Simulation.Name} has no field {name}; it has {string.Join(", ", fields.Keys)}");
            }
        }

        /// <summary>Throws unless T has the fields of the component: same names, offsets and sizes. Cells are read as T only
        /// after that; the check runs once for a type.</summary>
        public void Check<T>() where T : struct
        {
            if (checkedTypes.Contains(typeof(T)))
                return;
            string wrong = FindWrong<T>();
            if (wrong != null)
                throw new LockstepException(ls_status.LS_ERROR_USAGE,
                                            $"struct {typeof(T).Name} is no cell of component {Name} of {Simulation.Name}: {wrong}");
            checkedTypes.Add(typeof(T));
        }

        string FindWrong<T>() where T : struct
        {
            if (RuntimeHelpers.IsReferenceOrContainsReferences<T>())
                return "it holds references";
            int bytes = MemoryMarshal.AsBytes(new T[1].AsSpan()).Length;
            FieldInfo[] own = typeof(T).GetFields(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic);
            foreach (FieldInfo one in own)
            {
                if (!fields.TryGetValue(one.Name, out Field field))
                    return $"the component has no field {one.Name}, it has {string.Join(", ", fields.Keys)}";
                if (one.FieldType == typeof(bool) || one.FieldType == typeof(char))
                    return $"{one.Name} is a {one.FieldType.Name}; take a byte or ushort";
                int offset = (int)Marshal.OffsetOf(typeof(T), one.Name);
                int size = one.FieldType.IsEnum ? Marshal.SizeOf(Enum.GetUnderlyingType(one.FieldType)) : Marshal.SizeOf(one.FieldType);
                if (offset != field.Offset || size != field.Bytes)
                    return $"{one.Name} has {size} bytes at {offset}, and {field.Bytes} at {field.Offset} in the component";
            }
            if (own.Length < fields.Count)
                return $"it lacks fields of {string.Join(", ", fields.Keys)}";
            return bytes != Bytes ? $"it has {bytes} bytes, and the component {Bytes}" : null;
        }
    }
}
