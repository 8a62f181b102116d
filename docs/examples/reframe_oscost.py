# SPDX-License-Identifier: MIT
"""ReFrame: the core rows of oscost, one performance variable each.

    OSCOST_STATIC=/shared/oscost reframe -c reframe_oscost.py -r

/shared/oscost has build/oscost-static and build/run-all.sh of `make static`. The
variables come from invocations.jsonl, the rows as the programs print them
(docs/results-format.md). References go by these names, such as
syscall:op=getppid,by=syscall.
"""
import json
import os
import statistics

import reframe as rfm
import reframe.utility.sanity as sn


@rfm.simple_test
class oscost_core(rfm.RunOnlyRegressionTest):
    valid_systems = ['*']
    valid_prog_environs = ['*']
    place = variable(str, value=os.environ.get('OSCOST_STATIC', '/opt/oscost'))
    rounds = variable(int, value=6)
    sourcesdir = None
    exclusive_access = True
    time_limit = '20m'
    executable = 'sh'
    keep_files = ['invocations.jsonl']

    @run_before('run')
    def set_arguments(self):
        self.executable_opts = [os.path.join(self.place, 'run-all.sh'), '--core',
                                '--rounds', str(self.rounds), '--out', 'invocations.jsonl']

    def rows(self):
        """Row -> (unit, value of each round), of the core rows that have one."""
        found = {}
        with open(os.path.join(self.stagedir, 'invocations.jsonl')) as lines:
            for line in lines:
                row = json.loads(line)
                if row['tier'] == 'core' and row['status'] == 'ok':
                    name = f'{row["benchmark"]}:{row["case"]}'
                    found.setdefault(name, (row['unit'], []))[1].append(row['value'])
        return found

    @sanity_function
    def no_row_failed(self):
        return sn.assert_found(r'rows measured, \d+ skipped, 0 failed; 0 crashes', self.stdout)

    @run_before('performance')
    def set_variables(self):
        self.perf_variables = {
            name: sn.make_performance_function(statistics.median, unit, values)
            for name, (unit, values) in self.rows().items()
        }
