// What test_csharp.py runs with mono: each action prints what the test compares.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using System.Threading;
using Lockstep;
using Lockstep.Native;

[StructLayout(LayoutKind.Sequential)]
public struct Place
{
    public int x, y;
}

public struct Walker
{
    public uint player;
    public ushort score, reload;
    public int dx, dy;
    public ushort aim;
    public byte is_here, moved;
}

public struct Bang
{
    public uint player;
}

// None of these is a place.
public struct Swapped
{
    public int y, x;
}

public struct Short
{
    public int x;
}

public struct Other
{
    public int x, z;
}

public struct Wide
{
    public long x;
    public int y;
}

public struct Flag
{
    public bool x;
    public int y;
}

public struct Named
{
    public string x;
    public int y;
}

public static class Play
{
    static int checks;

    static void Is(bool isTrue, string what)
    {
        checks++;
        if (!isTrue)
            throw new Exception("not so: " + what);
    }

    static void Throws<T>(string says, Action action) where T : Exception
    {
        checks++;
        try
        {
            action();
        }
        catch (T error) when (error.Message.Contains(says))
        {
            return;
        }
        throw new Exception($"no {typeof(T).Name} that says {says}");
    }

    static void Fails(ls_status status, string says, Action action)
    {
        Throws<LockstepException>(says, () =>
        {
            try
            {
                action();
            }
            catch (LockstepException error)
            {
                Is(error.Status == status, $"{error.Status} of {error.Message}");
                throw;
            }
        });
    }

    // The sizes are those of C when Load() returns; here is each member.
    static void Layout()
    {
        Library.Load();
        int members = 0;
        var wrong = new List<string>();
        Facts.Each((name, found, wanted) =>
        {
            members++;
            if (found != wanted)
                wrong.Add($"{name} is at {found}, in C at {wanted}");
        });
        Console.WriteLine($"members={members} wrong={string.Join("; ", wrong)}");
    }

    static void Run(Session session, double seconds, Func<bool> step)
    {
        for (ulong until = Session.Now + (ulong)(seconds * 1e9); Session.Now < until && !session.IsFinal;)
        {
            session.Update();
            if (!step())
                return;
            Thread.Sleep(2);
        }
    }

    // The list of changes says of each place whether it moved.
    static int Changes(Session session, Component place, Query query)
    {
        var list = new List<Change>();
        session.Confirmed.Changes(session.ConfirmedPrevious, list);
        var moved = new HashSet<ulong>(list.Where(one => one.Kind == ls_change_kind.LS_CHANGE_CELLS && one.Has(place)).Select(one => one.Entity));
        var appeared = new HashSet<ulong>(list.Where(one => one.Kind == ls_change_kind.LS_CHANGE_APPEARED).Select(one => one.Entity));
        foreach (Rows rows in session.Confirmed.Walk(query))
            for (int i = 0; i < rows.Count; i++)
            {
                Place before;
                bool wasThere = session.ConfirmedPrevious.TryGet(place, rows.Entity(i), out before);
                Is(wasThere == !appeared.Contains(rows.Entity(i)), "an entity that appeared");
                if (wasThere)
                    Is(moved.Contains(rows.Entity(i)) == !before.Equals(rows.Cells<Place>(0)[i]), "a place that moved");
            }
        foreach (Change one in list)
            if (one.Kind == ls_change_kind.LS_CHANGE_VANISHED)
                Is(session.ConfirmedPrevious.IsAlive(one.Entity) && !session.Confirmed.IsAlive(one.Entity), "an entity that vanished");
        return moved.Count;
    }

    // Plays with the simulation's bot; prints the root of every confirmed tick that it saw, and the end.
    static void Match(Simulation walkers, string address)
    {
        ulong seen = 0, asked = 0;
        int held = 0, bangs = 0, interpolated = 0, changed = 0;
        Component place = walkers["place"];
        using (Query query = walkers.Query("place"))
        using (var session = new Session(walkers, new SessionOptions { Address = address, Name = "Ünit", PredictTicks = 4, IsMachine = true }))
        {
            Throws<InvalidOperationException>("before the first snapshot", () => Is(session.Confirmed.Tick == 0, "unreachable"));
            Run(session, 240, () =>
            {
                for (EventUpdate update; session.Poll(out update);)
                    if (update.Kind == ls_event_update_kind.LS_EVENT_HAPPENED && update.Component.Name == "bang")
                        bangs += update.As<Bang>().player < 8 ? 1 : 1000;
                if (!session.Confirmed.Exists)
                    return true;
                if (session.Confirmed.Tick > seen)
                {
                    seen = session.Confirmed.Tick;
                    changed += Changes(session, place, query);
                    Console.WriteLine($"root {seen} {session.Confirmed.Root:x16}");
                }
                interpolated += session.Fraction > 0 && session.Fraction < 1 ? 1 : 0;
                World world = session.Predicted;
                ls_client_stats stats = session.Stats;
                if (!stats.is_playing || world.Tick <= asked)
                    return true;
                asked = world.Tick;
                held += session.SubmitState(walkers.BotState(world, stats.player)) == ls_status.LS_OK ? 1 : 0;
                byte[] order = walkers.BotOrder(world, stats.player);
                if (order.Length > 0)
                    session.Submit(order);
                return true;
            });
            ls_client_stats end = session.Stats;
            Console.WriteLine($"{session.State} tick={end.tick} diverged={end.has_diverged} held={held > 20} bangs={bangs > 0 && bangs < 1000} between={interpolated > 0} changed={changed > 50} acked={end.inputs_acked > 0} {session.Reason}");
        }
    }

    static string Number(double number)
    {
        return number.ToString("F3", CultureInfo.InvariantCulture);
    }

    // The places of a recording's tick, in three ways that must agree.
    static void Rows(Simulation walkers, string recording, ulong tick)
    {
        Component place = walkers["place"];
        using (var replay = new Replay(walkers, recording))
        using (Query one = walkers.Query("place"), both = walkers.Query("place", "walker"))
        {
            World world = replay.Seek(tick);
            Is(replay.RecordedRoot(tick) == world.Root, "the root is the recorded one");
            ulong count = 0;
            foreach (Rows rows in world.Walk(one))
            {
                ReadOnlySpan<Place> cells = rows.Cells<Place>(0);
                for (int i = 0; i < rows.Count; i++, count++)
                {
                    Place cell;
                    Is(world.IsAlive(rows.Entity(i)) && world.TryGet(place, rows.Entity(i), out cell) && cell.Equals(cells[i]), "a cell by its entity");
                    ReadOnlySpan<byte> bytes = world.Cell(place, rows.Entity(i));
                    Is(place["x"].Raw(bytes) == cells[i].x && place["y"].Number(bytes) == cells[i].y / 65536.0, "a cell by its fields");
                    Console.WriteLine($"place {Number(cells[i].x / 65536.0)} {Number(cells[i].y / 65536.0)}");
                }
            }
            Is(count <= world.EntityCount && count >= 8, "entities");
            foreach (Rows rows in world.Walk(both))
                for (int i = 0; i < rows.Count; i++)
                    Console.WriteLine($"walker {rows.Cells<Walker>(1)[i].player} {rows.Cells<Walker>(1)[i].is_here}");
            ulong compared = 0;
            for (replay.Seek(replay.First); replay.World.Tick < replay.Last; replay.Step())
                compared += replay.RecordedRoot(replay.World.Tick) != null ? 1u : 0;
            Console.WriteLine($"verified {compared} {replay.World.Root:x16}");
            Fails(ls_status.LS_ERROR_NOT_FOUND, "nonexistent.lsr", () => new Replay(walkers, "/nonexistent.lsr"));
            replay.Dispose();
            Throws<ObjectDisposedException>("Replay", () => Is(replay.First == 0, "unreachable"));
        }
    }

    // What a game does in each frame.
    static void Frames(Session session, Component place, int count)
    {
        using (Query query = place.Simulation.Query("place"))
            for (long sum = 0; count > 0; count--)
            {
                session.Update();
                foreach (Rows rows in session.Confirmed.Walk(query))
                    foreach (Place cell in rows.Cells<Place>(0))
                        sum += cell.x;
                Is(sum > 0 && session.Fraction >= 0 && !session.Stats.has_diverged, "a frame");
                sum += session.IsStalled ? 1 : 0;
                while (session.Poll(out EventUpdate update))
                    sum++;
            }
    }

    // What the caller does wrong.
    static void Errors(Simulation walkers, string address)
    {
        Component place = walkers["place"];
        Is(place.Simulation == walkers, "its simulation");
        Fails(ls_status.LS_ERROR_NOT_FOUND, "walkers has no component places; it has ", () => place = walkers["places"]);
        Fails(ls_status.LS_ERROR_NOT_FOUND, "component place of walkers has no field z; it has x, y", () => place["z"].ToString());
        Fails(ls_status.LS_ERROR_USAGE, "struct Swapped is no cell of component place of walkers: y has 4 bytes at 0, and 4 at 4", place.Check<Swapped>);
        Fails(ls_status.LS_ERROR_USAGE, "it lacks fields of x, y", place.Check<Short>);
        Fails(ls_status.LS_ERROR_USAGE, "no field z", place.Check<Other>);
        Fails(ls_status.LS_ERROR_USAGE, "x has 8 bytes at 0, and 4 at 0", place.Check<Wide>);
        Fails(ls_status.LS_ERROR_USAGE, "x is a Boolean; take a byte", place.Check<Flag>);
        Fails(ls_status.LS_ERROR_USAGE, "it holds references", place.Check<Named>);
        Throws<ArgumentException>("1 to 16 components", () => walkers.Query());
        Fails(ls_status.LS_ERROR_USAGE, "", () => new Session(walkers, new SessionOptions { Address = "127.0.0.1:1:2#x" }));
        Fails(ls_status.LS_ERROR_USAGE, "", () => new Session(walkers, new SessionOptions { Address = address, PredictTicks = 9999 }));
        Throws<ArgumentException>("Name has 40 bytes, at most 32", () => new Session(walkers, new SessionOptions { Address = address, Name = new string('a', 40) }));
        Throws<ArgumentException>("a resume secret has", () => new Session(walkers, new SessionOptions { Address = address, ResumeSecret = new byte[3] }));
        Fails(ls_status.LS_ERROR_USAGE, "is loaded, and a process has one engine", () => Library.Load("/other/liblockstep.so.12"));
        using (var session = new Session(walkers, new SessionOptions { Address = address }))
        {
            Is(session.SubmitState(new byte[4]) == ls_status.LS_ERROR_REFUSED, "no input before it plays");
            Throws<ArgumentException>("a state of walkers has 4 bytes", () => session.SubmitState(new byte[3]));
            Throws<ArgumentException>("an order has 1 to", () => session.Submit(new byte[0]));
            Run(session, 60, () => !session.Confirmed.Exists);
            World old = session.Confirmed;
            Is(old.Tick >= 0 && old.Cell(place, 0).IsEmpty, "there is a world");
            Throws<InvalidOperationException>("have a root", () => Is(session.Predicted.Root == 0, "unreachable"));
            session.Update();
            Throws<InvalidOperationException>("ended with the last update", () => Is(old.Tick == 0, "unreachable"));
            Frames(session, place, 100);
            GC.Collect();
            int collections = GC.CollectionCount(0);
            Frames(session, place, 30000); // 24 bytes a frame would fill the 512 KiB of test_csharp.py
            Is(GC.CollectionCount(0) == collections, "a frame allocates nothing");
            old = session.Confirmed;
            session.Dispose();
            session.Dispose();
            Throws<InvalidOperationException>("ended with the last update", () => Is(old.Tick == 0, "unreachable"));
            Throws<ObjectDisposedException>("Session", () => session.Update());
        }
    }

    // Trust on first use, a spectator, and a seat that another session resumes.
    static void Join(Simulation walkers, string address, string known)
    {
        string bare = address.Substring(0, address.IndexOf('#'));
        byte[] secret, key;
        int player;
        using (var first = new Session(walkers, new SessionOptions { Address = bare, KnownServers = known }))
        {
            Run(first, 60, () => !first.Stats.is_playing);
            secret = first.ResumeSecret;
            key = first.ServerKey;
            player = first.Stats.player;
            Is(secret.Length == 32 && key.Length == 32 && first.Stats.is_playing, first.Reason);
            // The finalizers end a session that nobody disposes: the server sees silence.
            Abandon(walkers, address);
            GC.Collect();
            GC.WaitForPendingFinalizers();
            using (var second = new Session(walkers, new SessionOptions { Address = bare, KnownServers = known, ResumeSecret = secret }))
            {
                Run(second, 60, () => !second.Stats.is_playing);
                Is(second.Stats.player == player && second.ServerKey.SequenceEqual(key), "the seat of the first: " + second.Reason);
            }
        }
        Is(File.ReadAllText(known).StartsWith(bare + " "), "the key is stored");
        File.WriteAllText(known, bare + " " + new string('A', 43) + "\n");
        using (var other = new Session(walkers, new SessionOptions { Address = bare, KnownServers = known }))
        {
            Run(other, 60, () => true);
            Is(other.State == ls_client_state.LS_CLIENT_REFUSED && other.Reason.Contains(known), other.State + " " + other.Reason);
        }
        using (var watcher = new Session(walkers, new SessionOptions { Address = address, IsSpectator = true }))
        {
            Run(watcher, 60, () => !watcher.Confirmed.Exists || watcher.Confirmed.Tick < 5);
            Is(watcher.Confirmed.Tick >= 5, watcher.Reason);
            Is(watcher.Submit(new byte[] { 1 }) == ls_status.LS_ERROR_REFUSED, "a spectator has no seat");
        }
    }

    static void Abandon(Simulation walkers, string address)
    {
        var session = new Session(walkers, new SessionOptions { Address = address });
        for (int i = 0; i < 50; i++, Thread.Sleep(2))
            session.Update();
        GC.KeepAlive(session);
    }

    // A program lives as long as a session of it.
    static void Order(string module, string address)
    {
        var walkers = new Simulation(module);
        var session = new Session(walkers, new SessionOptions { Address = address });
        walkers.Dispose();
        Throws<ObjectDisposedException>("Simulation", () => new Session(walkers, new SessionOptions { Address = address }));
        Run(session, 60, () => !session.Confirmed.Exists);
        Is(session.Confirmed.Exists, session.Reason);
        session.Dispose();
    }

    public static int Main(string[] words)
    {
        try
        {
            switch (words[0])
            {
            case "layout": Layout(); return 0;
            case "load": Library.Load(); break;
            case "simulation": new Simulation(words[1]).Dispose(); break;
            case "match": Match(new Simulation(words[1]), words[2]); break;
            case "rows": Rows(new Simulation(words[1]), words[2], ulong.Parse(words[3])); break;
            case "errors": Errors(new Simulation(words[1]), words[2]); break;
            case "join": Join(new Simulation(words[1]), words[2], words[3]); break;
            case "order": Order(words[1], words[2]); break;
            default: return 2;
            }
            Console.WriteLine("checks=" + checks);
            return 0;
        }
        catch (LockstepException error)
        {
            Console.Error.WriteLine($"{error.Status}: {error.Message}");
            return 1;
        }
    }
}
