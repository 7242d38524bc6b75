import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mainThreadOf } from './main-thread.ts';

test('tasks are those of the main threads of tabs, each once', () => {
  const task = (name: string, tid: number, ms: number) => ({ name, ph: 'X', pid: 1, tid, dur: ms * 1000 });
  const thread = (tid: number, name: string) => ({ name: 'thread_name', ph: 'M', pid: 1, tid, args: { name } });
  const found = mainThreadOf([
    thread(7, 'CrRendererMain'),
    thread(8, 'Compositor'),
    task('RunTask', 7, 60),
    task('ThreadControllerImpl::RunTask', 7, 60),
    task('RunTask', 7, 140),
    task('RunTask', 7, 1),
    task('RunTask', 8, 900),
  ]);
  assert.deepEqual(found, { longestMs: 140, over50: 2, over100: 1, busyMs: 201 });
});
