using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using Lockstep.Native;

namespace Lockstep
{
    /// <summary>The owner of worlds: they change with each of its calls that plays.</summary>
    interface IWorlds
    {
        /// <summary>Rises with each call after which worlds that were given out may be gone.</summary>
        ulong Turn { get; }
    }

    /// <summary>A state between two ticks, to be read until the next call of its session or replay that plays; later reads
    /// throw InvalidOperationException. Spans of cells are not checked, and must not be kept longer.</summary>
    public readonly unsafe struct World
    {
        readonly ls_world* at;
        readonly IWorlds owner;
        readonly ulong turn;
        readonly bool hasRoot;

        internal World(ls_world* at, IWorlds owner, bool hasRoot)
        {
            this.at = at;
            this.hasRoot = hasRoot;
            this.owner = owner;
            turn = owner.Turn;
        }

        /// <summary>False before the first snapshot.</summary>
        public bool Exists
        {
            get { return at != null; }
        }

        internal ls_world* At
        {
            get
            {
                if (at == null)
                    throw new InvalidOperationException("there is no world before the first snapshot");
                if (owner.Turn != turn)
                    throw new InvalidOperationException("this world ended with the last update; ask its session again");
                return at;
            }
        }

        public ulong Tick
        {
            get { return Api.ls_world_tick(At); }
        }

        /// <summary>The hash of the state; of the confirmed world of a session, and of a replay's. The others are const in C, and
        /// hashing changes a world's caches.</summary>
        public ulong Root
        {
            get
            {
                if (!hasRoot)
                    throw new InvalidOperationException("only the confirmed world and the world of a replay have a root");
                return Api.ls_world_root(At);
            }
        }

        public ulong EntityCount
        {
            get { return Api.ls_world_entity_count(At); }
        }

        public bool IsAlive(ulong entity)
        {
            return Api.ls_world_is_alive(At, entity);
        }

        /// <summary>The entity's cell; empty if it is dead or lacks the component.</summary>
        public ReadOnlySpan<byte> Cell(Component component, ulong entity)
        {
            void* cell = Api.ls_world_cell(At, component.At, entity);
            return new ReadOnlySpan<byte>(cell, cell == null ? 0 : component.Bytes);
        }

        public bool TryGet<T>(Component component, ulong entity, out T cell) where T : struct
        {
            component.Check<T>();
            ReadOnlySpan<byte> found = Cell(component, entity);
            cell = found.IsEmpty ? default(T) : MemoryMarshal.Read<T>(found);
            return !found.IsEmpty;
        }

        public ReadOnlySpan<byte> Singleton(Component component)
        {
            return new ReadOnlySpan<byte>(Api.ls_world_singleton(At, component.At), component.Bytes);
        }

        public T Singleton<T>(Component component) where T : struct
        {
            component.Check<T>();
            return MemoryMarshal.Read<T>(Singleton(component));
        }

        /// <summary>foreach (var rows in world.Walk(query)): runs of entities that match, in canonical order.</summary>
        public Walk Walk(Query query)
        {
            return new Walk(this, query);
        }

        /// <summary>Adds what differs from an earlier world of the same owner to the list: for a game with objects of its
        /// own. The cost follows the pages that were written.</summary>
        public void Changes(World before, List<Change> into)
        {
            Change.Collect(before.At, At, into);
        }
    }

    /// <summary>An entity that differs between two worlds.</summary>
    public readonly unsafe struct Change
    {
        static readonly ls_change_visit add = Add;
        /// <summary>0: the singletons.</summary>
        public ulong Entity { get; }
        public ls_change_kind Kind { get; }
        readonly ulong low, high;

        Change(ls_change* from)
        {
            Entity = from->entity;
            Kind = from->kind;
            low = from->components[0];
            high = from->components[1];
        }

        /// <summary>The component appeared or vanished with the entity, was attached or detached, or has another value.</summary>
        public bool Has(Component component)
        {
            int column = component.Column;
            return column >= 0 && ((column < 64 ? low : high) >> column % 64 & 1) != 0;
        }

        internal static void Collect(ls_world* before, ls_world* after, List<Change> into)
        {
            GCHandle handle = GCHandle.Alloc(into);
            Api.ls_world_changes(before, after, Marshal.GetFunctionPointerForDelegate(add), (void*)GCHandle.ToIntPtr(handle));
            handle.Free();
        }

        [MonoPInvokeCallback(typeof(ls_change_visit))]
        static bool Add(void* argument, ls_change* change)
        {
            ((List<Change>)GCHandle.FromIntPtr((IntPtr)argument).Target).Add(new Change(change));
            return true;
        }
    }

    /// <summary>The terms of a walk over worlds: components that an entity must have.</summary>
    public sealed unsafe class Query : IDisposable
    {
        internal readonly Component[] Components;
        readonly Handle terms;

        internal Query(Simulation simulation, Component[] components)
        {
            if (components.Length == 0 || components.Length > Constants.LS_QUERY_TERMS_MAX)
                throw new ArgumentException($"a query has 1 to {Constants.LS_QUERY_TERMS_MAX} components");
            Components = components;
            simulation.Program.Get(simulation); // throws if it ended
            ls_term* made = (ls_term*)Marshal.AllocHGlobal((components.Length + 1) * sizeof(ls_term));
            for (int i = 0; i <= components.Length; i++)
            {
                made[i] = default(ls_term); // the last one ends the list
                if (i == components.Length)
                    break;
                made[i].component = components[i].At;
                made[i].access = components[i].Bytes == 0 ? ls_access.LS_ACCESS_PRESENCE : ls_access.LS_ACCESS_READ;
            }
            terms = new Handle((IntPtr)made, Marshal.FreeHGlobal, simulation.Program);
        }

        internal ls_term* Terms
        {
            get { return (ls_term*)terms.Get(this); }
        }

        public void Dispose()
        {
            terms.Dispose();
        }
    }

    /// <summary>A walk; see World.Walk().</summary>
    public unsafe ref struct Walk
    {
        readonly World world;
        readonly Query query;
        ls_world_walk walk;

        internal Walk(World world, Query query)
        {
            this.world = world;
            this.query = query;
            walk = default(ls_world_walk);
            fixed (ls_world_walk* at = &walk)
                Api.ls_world_walk_begin(world.At, query.Terms, at);
        }

        public Walk GetEnumerator()
        {
            return this;
        }

        public bool MoveNext()
        {
            ls_world* _ = world.At; // throws if it ended
            walk.terms = query.Terms;
            fixed (ls_world_walk* at = &walk)
                return Api.ls_world_walk_next(at);
        }

        public Rows Current
        {
            get { return new Rows(walk.span, query); }
        }
    }

    /// <summary>Consecutive entities of a walk.</summary>
    public unsafe ref struct Rows
    {
        ls_span span;
        readonly Query query;

        internal Rows(ls_span span, Query query)
        {
            this.span = span;
            this.query = query;
        }

        public int Count
        {
            get { return (int)span.count; }
        }

        public ulong Entity(int i)
        {
            if ((uint)i >= span.count)
                throw new ArgumentOutOfRangeException(nameof(i));
            return (ulong)span.generations[i] << 32 | (ulong)span.lane << 24 | (span.first_slot + (uint)i);
        }

        /// <summary>The cells of a term, one after the other: its number in the query, from 0.</summary>
        public ReadOnlySpan<byte> Bytes(int term)
        {
            int bytes = query.Components[term].Bytes;
            fixed (ulong* cells = span.const_cells_)
                return new ReadOnlySpan<byte>((void*)cells[term], bytes * Count);
        }

        /// <summary>The cells of a term as structs; see Component.Check().</summary>
        public ReadOnlySpan<T> Cells<T>(int term) where T : struct
        {
            query.Components[term].Check<T>();
            return MemoryMarshal.Cast<byte, T>(Bytes(term));
        }
    }
}
