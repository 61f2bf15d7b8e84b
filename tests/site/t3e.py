# SPDX-License-Identifier: BSD-3-Clause
"""A synthetic centre whose totals are known: 10,289 jobs of 68 users on 512 processors in 187.9 days, with the totals of
the half year that R. Rabenseifner published of a Cray T3E ("Automatic MPI Counter Profiling"). The jobs are made up, their
sums are the published ones:

  Fig. 5    jobs, users, processors, time, languages
  Fig. 8    shares of the time by the number of ranks (as far as the text names them)
  Fig. 9    shares of users, and users by their share of MPI
  Fig. 11   groups of routines: number of jobs that use them, and their share of the time
  Fig. 12,13  calls, time, count arguments and bytes of 92 routines; environment variables; other tools

    t3e.py    prints one record per line, after its uid
"""

import bisect
import json
import math
import random
import time

STARTED, ENDED = 900276003, 916510939  # Jul 12 20:40:03 1998, Jan 16 18:22:19 1999, both UTC
PROCESSORS = 512
JOBS, USERS, RANKS = 10289, 68, 333323
CPU_S = 425287.96 * 3600
MPI_S = 58259.64 * 3600
OVERHEAD_S = 126.77 * 3600
# jobs, share of the time, ranks, ranks weighted by time, used routines
LANGUAGES = {"Fortran": (4865, 0.804, 198100, 89.7, 67), "C": (5424, 0.196, 135223, 140.0, 87)}
SETTINGS = {"MPIPROFOUT": 1260, "MPI_BUFFER_MAX": 1001, "MPI_BUFFER_TOTAL": 1, "MPI_SM_POOL": 469,
            "MPI_SM_TRANSFER": 21}
OTHER_TOOL = 36
# The users with the most time: how many there are, and the share of the time of all of them.
TOP_USERS = ((12, 15.1 / 18.419), (21, 0.953), (29, 0.992))
# Of the first 12 users, the share of MPI in their time: 7 below 10 %, 1 between 10 and 25 %, 3 about 30 %, 1 about 50 %.
TOP_MPI = (0.06, 0.31, 0.04, 0.08, 0.30, 0.05, 0.09, 0.17, 0.03, 0.50, 0.29, 0.07)

# Groups of Fig. 11: jobs in per cent, weighted by time in per cent.
GROUPS = {
    "blocking point to point": (66.304, 65.858),
    "nonblocking pt-to-pt": (29.264, 22.007),
    "persistent pt-to-pt": (0.010, 0.000),
    "pack and unpack": (2.352, 0.118),
    "collective communication": (92.545, 99.996),
    "derived datatype": (23.530, 1.468),
    "group and sub-communicator": (28.953, 8.945),
    "inter-communicator": (0.029, 0.009),
    "attribute caching / inquiry": (7.872, 0.459),
    "error handler handling": (0.019, 0.000),
    "topology creation": (13.568, 15.685),
    "wtime measurement": (24.521, 12.671),
    "": (100, 100),  # in no group: MPI_Init, ...
}

# Fig. 12 and 13: routine, calls, time in s, count arguments, bytes; latency in us and bandwidth in MB/s; the estimates
# of latency, transfer and idle time in s. A routine without latency is all latency. None: the figure has nothing there.
TABLE = {
    "blocking point to point": """
        recv 544e8 271e5 695e13 556e14 10 300 543e3 841e4 181e5
        ssend 421e7 149e5 265e11 212e12 50 300 209e3 662e3 140e5
        send 670e8 427e4 496e11 397e12 10 100 650e3 373e4 -10e4
        sendrecv 111e8 391e4 125e11 998e11 20 140 221e3 680e3 301e4
        probe 150e6 331e4 - - 8 - 120e1 - 331e4
        bsend 387e7 170e3 161e10 129e11 23 100 891e2 123e3 -42e3
        get_count 784e7 878e1 - - - - 878e1 - -
        buffer_detach 348e6 780e0 - - - - 780e0 - -
        buffer_attach 348e6 266e0 - - - - 266e0 - -
        sendrecv_replace 16 277e-5 160000 160000 20 140 320e-6 109e-5 136e-5""",
    "nonblocking pt-to-pt": """
        iprobe 797e7 630e2 - - - - 630e2 - -
        wait 217e9 150e5 - - 16 - 344e4 - 116e5
        waitall 290e8 775e4 626e8 - 20 - 580e3 - 717e4
        isend 130e9 622e4 553e11 408e12 10 100 130e4 390e4 102e4
        irecv 151e9 333e4 140e12 108e13 10 300 149e4 344e4 -16e5
        waitany 292e5 124e3 482e6 - 20 - 583e0 - 123e3
        test 181e8 110e3 - - - - 110e3 - -
        ibsend 747194 209e0 189e7 189e7 23 100 172e-1 180e-1 174e0
        waitsome 1093 631e-1 10900 - 20 - 219e-4 - 631e-1
        testsome 146e4 545e-1 800e4 - - - 545e-1 - -
        request_free 14 115e-6 - - - - 115e-6 - -
        issend 4 101e-6 40000 40000 50 300 200e-6 127e-6 -23e-5""",
    "persistent pt-to-pt": """
        start 16 480e-6 - - - - 480e-6 - -
        startall 4 968e-7 4 - - - 968e-7 - -
        send_init 4 812e-7 40000 40000 - - 812e-7 - -
        ssend_init 2 548e-7 20000 20000 - - 548e-7 - -
        bsend_init 2 460e-7 20000 20000 - - 460e-7 - -
        rsend_init 2 416e-7 20000 20000 - - 416e-7 - -""",
    "derived datatype": """
        type_commit 109e5 382e0 - - - - 382e0 - -
        type_struct 102e5 346e0 230e6 - - - 346e0 - -
        type_indexed 451961 129e0 361e6 576e8 - - 129e0 - -
        type_free 106e5 129e0 - - - - 129e0 - -
        type_vector 229528 107e-1 313e4 454e5 - - 107e-1 - -
        type_size 717e4 266e-2 - - - - 266e-2 - -
        address 117e5 189e-2 - - - - 189e-2 - -
        type_contiguous 10003 475e-4 293e4 197e5 - - 475e-4 - -
        type_hvector 1536 139e-4 34640 821e4 - - 139e-4 - -
        type_extent 1536 252e-5 - - - - 252e-5 - -""",
    "pack and unpack": """
        unpack 385e7 403e1 265e8 212e9 - - 403e1 - -
        pack 385e7 334e1 265e8 212e9 - - 334e1 - -
        pack_size 170390 384e-4 - - - - 384e-4 - -""",
    "collective communication": """
        allreduce 213e8 375e5 654e9 904e10 70 6 148e4 143e4 346e5
        bcast 119e7 247e5 251e10 206e11 35 40 414e2 490e3 242e5
        alltoall 425e6 151e5 741e11 595e12 350 50 613e2 512e4 994e4
        reduce_scatter 574e6 119e5 - - 500 - 287e3 - 116e5
        barrier 601e7 111e5 - - 30 - 180e3 - 109e5
        reduce 927e6 110e5 141e10 925e10 51 6 470e2 147e4 948e4
        allgather 586e6 471e4 239e9 193e10 110 32 644e2 574e2 459e4
        alltoallv 106e7 343e4 - - 500 - 529e3 - 290e4
        gather 119e7 232e4 468e9 365e10 75 160 888e2 217e2 221e4
        allgatherv 834e5 149e4 602e8 454e9 110 32 918e1 135e2 147e4
        scatter 363623 146e1 230e8 175e9 125 166 455e-1 101e1 407e0
        scatterv 94813 566e0 633e7 745e7 125 166 119e-1 428e-1 511e0
        gatherv 35874 185e0 704e7 770e7 75 160 269e-2 459e-1 137e0
        scan 59391 153e0 144e7 146e7 60 4 356e-2 347e0 -20e1
        op_create 8393 317e-4 - - - - 317e-4 - -
        op_free 4054 142e-4 - - - - 142e-4 - -""",
    "group and sub-communicator": """
        comm_create 97751 100e3 - - - - 100e3 - -
        comm_split 69193 188e0 - - - - 188e0 - -
        comm_dup 94267 349e-1 - - - - 349e-1 - -
        group_excl 29371 233e-2 - - - - 233e-2 - -
        comm_free 103118 222e-2 - - - - 222e-2 - -
        group_incl 38412 788e-3 - - - - 788e-3 - -
        comm_group 79674 709e-3 - - - - 709e-3 - -
        group_free 69096 387e-3 - - - - 387e-3 - -
        group_range_incl 29968 363e-3 - - - - 363e-3 - -
        comm_compare 11552 560e-4 - - - - 560e-4 - -
        group_size 4697 964e-5 - - - - 964e-5 - -
        group_rank 640 172e-5 - - - - 172e-5 - -
        group_translate_ranks 84 602e-6 - - - - 602e-6 - -""",
    "inter-communicator": """
        comm_test_inter 144 889e-6 - - - - 889e-6 - -""",
    "attribute caching / inquiry": """
        initialized 29955 565e-4 - - - - 565e-4 - -
        get_processor_name 26146 580e-1 - - - - 580e-1 - -
        attr_get 196225 820e-3 - - - - 820e-3 - -
        attr_put 52070 410e-3 - - - - 410e-3 - -
        keyval_create 976 452e-5 - - - - 452e-5 - -
        attr_delete 14 137e-6 - - - - 137e-6 - -""",
    "topology creation": """
        cart_create 61052 774e0 - - - - 774e0 - -
        cart_rank 138e5 242e-1 - - - - 242e-1 - -
        graph_create 5247 214e-1 - - - - 214e-1 - -
        cart_shift 125353 165e-2 - - - - 165e-2 - -
        cart_coords 224853 108e-2 - - - - 108e-2 - -
        dims_create 7545 219e-3 - - - - 219e-3 - -
        cart_get 2517 521e-4 - - - - 521e-4 - -""",
    "error handler handling": """
        errhandler_set 12 364e-7 - - - - 364e-7 - -""",
    "wtime measurement": """
        wtime 108e8 929e1 - - - - 929e1 - -
        wtick 1670 205e-5 - - - - 205e-5 - -""",
    "": """
        comm_rank 768e4 176e-1 - - - - 176e-1 - -
        comm_size 444e4 104e-1 - - - - 104e-1 - -
        init 333290 146e2 - - - - 146e2 - -
        finalize 333265 131e2 - - - - 131e2 - -
        pcontrol 1807 920e-6 - - - - 920e-6 - -""",
}
# Only programs in C use these: 92 routines in all, 67 in Fortran, 87 in C.
ONLY_C = 25
ONLY_FORTRAN = 5


def routines():
    """name -> group, calls, time_s, counts, bytes, latency_us, bandwidth, estimates; None where the figure has nothing"""
    rows = {}
    for group, text in TABLE.items():
        for line in text.strip().splitlines():
            name, *numbers = line.split()
            calls, time_s, counts, sent, latency, bandwidth, *estimates = [
                None if number == "-" else float(number) for number in numbers]
            rows[name] = {"group": group, "calls": int(calls), "time_s": time_s,
                          "count_arguments": None if counts is None else int(counts), "bytes": None if sent is None else int(sent),
                          "latency_us": latency, "bandwidth_mb_s": bandwidth, "estimates": estimates}
    return rows


def share_out(total, weights):
    """Whole numbers with this sum, in proportion to the weights."""
    whole = math.fsum(weights)
    parts, given, seen = [], 0, 0.0
    for weight in weights:
        seen += weight
        until = total if seen >= whole else int(total * (seen / whole))
        parts.append(until - given)
        given = until
    if parts:
        parts[-1] += total - given
    return parts


def user_shares():
    """Shares of the time by user, the largest first."""
    shares, before, share_before = [], 0, 0.0
    for users, share in (*TOP_USERS, (USERS, 1.0)):
        n, part = users - before, share - share_before
        weights = [1 / (1 + 0.5 * i / n) if before == 0 else 0.9 ** i for i in range(n)]
        shares += [part * weight / sum(weights) for weight in weights]
        before, share_before = users, share
    return sorted(shares, reverse=True)


def user_mpi_shares(shares):
    """The share of MPI in the time of each user; their mean is that of the site."""
    ratios = list(TOP_MPI) + [0.2] * (USERS - len(TOP_MPI))
    lacking = MPI_S / CPU_S - sum(share * ratio for share, ratio in zip(shares, ratios))
    rest = sum(shares[len(TOP_MPI):])
    return ratios[:len(TOP_MPI)] + [0.2 + lacking / rest] * (USERS - len(TOP_MPI))


# Time by the number of ranks, in per cent of all: what Fig. 8 and its text say, and for the two languages such that the
# means are those of Fig. 5.
RANK_SHARES = (
    # ranks, Fortran, C
    (8, 1.0, 1.0),
    (16, 0.0, 0.0),
    (32, 11.0, 1.0),
    (48, 5.8, 0.2),
    (64, 36.0, 2.0),
    (96, 10.0, 3.0),
    (128, 9.8, 4.2),
    (192, 6.5, 4.5),
    (256, 0.2, 1.8),
    (384, 0.0, 1.0),
    (512, 0.1, 0.9),
)


def ranks_of_classes():
    """For each language, (ranks, share of the time of all) such that the mean of the ranks is the published one: the
    classes between powers of two hold jobs of different sizes."""
    made = {}
    for column, (language, (_, share, _, mean, _)) in enumerate(LANGUAGES.items(), 1):
        rows = [[row[0], row[column]] for row in RANK_SHARES if row[column]]
        scale = share * 100 / sum(part for _, part in rows)
        for row in rows:
            row[1] *= scale / 100
        between = [row for row in rows if row[0] in (48, 96, 192, 384)]
        limits = {48: (33, 63), 96: (65, 127), 192: (129, 255), 384: (257, 511)}
        wanted = mean * share
        for row in between:
            others = sum(r[0] * r[1] for r in rows if r is not row)
            least, most = limits[row[0]]
            row[0] = min(max((wanted - others) / row[1], least + 1), most - 1)
            if abs(sum(r[0] * r[1] for r in rows) - wanted) < 1e-9:
                break
        made[language] = [(ranks, part) for ranks, part in rows]
    return made


def make_jobs(rng):
    """Jobs with language, ranks and time; sums as published."""
    jobs = []
    for language, (n_jobs, share, n_ranks, mean_ranks, _) in LANGUAGES.items():
        classes = ranks_of_classes()[language]
        mine = []
        # Some long jobs in every class hold nearly all of its time.
        for ranks, part in classes:
            long_jobs = max(2, round(part * 600))
            times = [rng.lognormvariate(0, 0.8) for _ in range(long_jobs)]
            low, high = int(ranks), int(ranks) + 1
            above = ranks - low  # share of the time of the jobs with the higher number
            for i, time in enumerate(times):
                mine.append({"ranks": low, "class": ranks, "share": part * time / sum(times), "above": above, "n": i})
            running, target = 0.0, above * part
            for job in mine[-long_jobs:]:
                if above and running + job["share"] <= target:
                    job["ranks"] = high
                    running += job["share"]
        long_time = sum(job["share"] for job in mine)
        # The others are tests: short, and of such sizes that the ranks add up.
        tests = n_jobs - len(mine)
        left = n_ranks - sum(job["ranks"] for job in mine)
        mean = left / tests
        sizes = [max(1, min(512, round(rng.lognormvariate(math.log(mean) - 0.5, 1.0)))) for _ in range(tests)]
        surplus = sum(sizes) - left
        while surplus:
            i = rng.randrange(tests)
            step = -1 if surplus > 0 else 1
            if 1 <= sizes[i] + step <= 512:
                sizes[i] += step
                surplus += step
        small = [size * rng.lognormvariate(0, 1.2) for size in sizes]
        for size, time in zip(sizes, small):
            mine.append({"ranks": size, "share": 0.002 * share * time / sum(small)})
        for job in mine:
            job["share"] *= share / (long_time + 0.002 * share)
            job["language"] = language
        correct_mean(mine, mean_ranks * share)
        if language == "C":
            make_share(mine, GROUPS["inter-communicator"][1] / 100)
        for job in mine:
            job["cpu_s"] = job["share"] * CPU_S
        jobs += mine
    return jobs


def make_share(jobs, share):
    """Gives one job this share of the time: another one with as many ranks takes or gives what it has too much or lacks."""
    longest = sorted(jobs, key=lambda job: -job["share"])
    large = longest[0]
    small = min((job for job in longest[1:] if job["ranks"] == large["ranks"]), key=lambda job: abs(job["share"] - share))
    large["share"] += small["share"] - share
    small["share"] = share


def correct_mean(jobs, wanted):
    """Moves a little time between a large and a small job, so that the sum of ranks x time is exact."""
    longest = sorted(jobs, key=lambda job: -job["share"])[:50]
    large, small = max(longest, key=lambda job: job["ranks"]), min(longest, key=lambda job: job["ranks"])
    moved = (wanted - sum(job["ranks"] * job["share"] for job in jobs)) / (large["ranks"] - small["ranks"])
    large["share"] += moved
    small["share"] -= moved


def give_to_users(jobs, shares, rng):
    """The largest jobs first, each to the user who lacks most of the share; the tiny ones to anybody."""
    lacks = list(shares)
    for job in sorted(jobs, key=lambda job: -job["share"]):
        if job["share"] > 5e-7:
            user = max(range(USERS), key=lambda user: lacks[user])
        else:
            user = rng.randrange(USERS)
        job["user"] = user
        lacks[user] -= job["share"]


def choose(jobs, n, share, rng):
    """n jobs with this share of the time: chosen at random, then exchanged until the share is right: first any that bring
    it nearer, in the end those that bring it nearest."""
    outside = list(range(len(jobs)))
    rng.shuffle(outside)
    inside, outside = outside[:n], outside[n:]
    error = sum(jobs[job]["share"] for job in inside) - share
    for _ in range(200000):
        i, o = rng.randrange(len(inside)), rng.randrange(len(outside))
        changed = error + jobs[outside[o]]["share"] - jobs[inside[i]]["share"]
        if abs(changed) < abs(error):
            inside[i], outside[o], error = outside[o], inside[i], changed
    outside.sort(key=lambda job: jobs[job]["share"])
    shares = [jobs[job]["share"] for job in outside]
    for _ in range(20000):
        if abs(error) < 2e-8:
            break
        i = rng.randrange(len(inside))
        wanted = jobs[inside[i]]["share"] - error
        o = min(bisect.bisect(shares, wanted), len(shares) - 1)
        if o and abs(shares[o - 1] - wanted) < abs(shares[o] - wanted):
            o -= 1
        changed = error + shares[o] - jobs[inside[i]]["share"]
        if abs(changed) < abs(error):
            leaving, error = inside[i], changed
            inside[i] = outside.pop(o)
            del shares[o]
            place = bisect.bisect(shares, jobs[leaving]["share"])
            outside.insert(place, leaving)
            shares.insert(place, jobs[leaving]["share"])
    return set(inside)


def use_groups(jobs, rng):
    """Which jobs use which group. The rarest groups are used by a few small programs in C."""
    users_of = {}
    small = sorted((job for job in range(len(jobs)) if jobs[job]["language"] == "C"), key=lambda job: jobs[job]["share"])
    for group, (percent, weighted) in GROUPS.items():
        n = round(percent * JOBS / 100)
        if not group:
            users_of[group] = set(range(len(jobs)))
        elif n >= 10:
            users_of[group] = choose(jobs, n, weighted / 100, rng)
        else:
            users_of[group] = {min(small[n - 1:], key=lambda job: abs(jobs[job]["share"] - weighted / 100)),
                               *small[:n - 1]}
            small = [job for job in small if job not in users_of[group]]
    return users_of


def fit(rows, row_sums, column_sums, rounds=200):
    """Scales a matrix until its rows and columns have these sums."""
    for _ in range(rounds):
        for row, wanted in zip(rows, row_sums):
            have = math.fsum(row.values())
            if have:
                for column in row:
                    row[column] *= wanted / have
        totals = {}
        for row in rows:
            for column, value in row.items():
                totals[column] = totals.get(column, 0.0) + value
        for row in rows:
            for column in row:
                if totals[column]:
                    row[column] *= column_sums[column] / totals[column]
    return rows


def routine_times(table):
    """Times with the published digits whose sum is the published one, which has more digits."""
    times = {name: row["time_s"] for name, row in table.items()}
    lacking = MPI_S - math.fsum(times.values())
    room = {name: 0.4 * 10 ** (math.floor(math.log10(time)) - 2) for name, time in times.items()}
    for name in times:
        times[name] += lacking * room[name] / sum(room.values())
    return times


def languages_of_routines(table, users_of, jobs):
    """Which languages use a routine: the rarest ones are used by one language only."""
    possible = {name: {jobs[job]["language"] for job in users_of[row["group"]]} for name, row in table.items()}
    only = {"C": [], "Fortran": []}
    for name in sorted(table, key=lambda name: table[name]["calls"]):
        for language, most in (("C", ONLY_C), ("Fortran", ONLY_FORTRAN)):
            if language in possible[name] and len(only[language]) < most:
                only[language].append(name)
                possible[name] = {language}
                break
    return possible


def centre(seed=1998):
    rng = random.Random(seed)
    table = routines()
    jobs = make_jobs(rng)
    shares = user_shares()
    give_to_users(jobs, shares, rng)
    users_of = use_groups(jobs, rng)
    languages = languages_of_routines(table, users_of, jobs)
    times = routine_times(table)
    real_shares = [sum(job["share"] for job in jobs if job["user"] == user) for user in range(USERS)]
    ratios = user_mpi_shares(real_shares)

    users_jobs = [{} for _ in range(USERS)]  # user -> routine -> jobs
    for name, row in table.items():
        for job in users_of[row["group"]]:
            if jobs[job]["language"] in languages[name]:
                users_jobs[jobs[job]["user"]].setdefault(name, []).append(job)
    matrix = [{name: times[name] * sum(jobs[job]["share"] for job in mine) for name, mine in of_user.items()}
              for of_user in users_jobs]
    fit(matrix, [ratio * share * CPU_S for ratio, share in zip(ratios, real_shares)], times)

    for job in jobs:
        job["routines"] = {}
    for name, row in table.items():
        parts = [(job, matrix[user][name] * jobs[job]["share"] / sum(jobs[j]["share"] for j in of_user[name]))
                 for user, of_user in enumerate(users_jobs) if name in of_user for job in of_user[name]]
        weights = [time for _, time in parts]
        # Every job that uses a group makes a call of it, as far as there are enough calls.
        least = min(1, row["calls"] // len(parts))
        calls = [least + extra for extra in share_out(row["calls"] - least * len(parts), weights)]
        columns = {"calls": calls}
        for key in ("count_arguments", "bytes"):
            if row[key] is not None:
                columns[key] = share_out(row[key], calls)
        if not least:
            scale = sum(calls)
            weights = [times[name] * n / scale for n in calls]
        for i, (job, _) in enumerate(parts):
            if calls[i]:
                jobs[job]["routines"]["MPI_" + name.capitalize()] = {
                    "calls": calls[i], "time_s": float("%.7g" % weights[i]), **{key: column[i] for key, column in columns.items()}}

    settings = {name: set(rng.sample(range(JOBS), n)) for name, n in SETTINGS.items()}
    other_tool = set(rng.sample(range(JOBS), OTHER_TOOL))
    order = sorted(range(JOBS), key=lambda job: rng.random())
    for place, number in enumerate(order):
        job = jobs[number]
        yield 800 + job["user"], record(job, number, place, rng, other_tool,
                                        [name for name in settings if number in settings[name]])


def moment(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def record(job, number, place, rng, other_tool, settings):
    wall = job["cpu_s"] / job["ranks"]
    started = STARTED + int((ENDED - STARTED - wall) * place / JOBS)
    mpi_s = math.fsum(routine["time_s"] for routine in job["routines"].values())
    made = {
        "fathom": 1, "record": 1,
        "job": {"key": "%032x" % rng.getrandbits(128), "id": str(50000 + place), "user": "u%04d" % (800 + job["user"]),
                "program": "prog%d" % (number % 97), "build_id": "%016x" % (number % 97), "mpi": "mpt 1.2.1.0",
                "language": job["language"], "started": moment(started), "ended": moment(started + int(wall)),
                "ranks": job["ranks"], "hosts": 1, "complete": True, "wall_s": wall, "wall_sum_s": job["cpu_s"],
                "overhead_s": OVERHEAD_S * job["share"]},
        "mpi": {"time_s": mpi_s, "routines": [{"name": name, **routine} for name, routine in job["routines"].items()]},
    }
    if number in other_tool:
        made["job"]["tool"] = "libvampirtrace.so"
    if settings:
        made["job"]["environment"] = dict.fromkeys(settings, "1")
    return made


if __name__ == "__main__":
    for uid, document in centre():
        print(uid, json.dumps(document, separators=(",", ":")))
