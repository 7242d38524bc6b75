import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { wireFailure } from './sqlite-failure.ts';
import type { WireCheck, WireCommits, WriterReply, WriterRequest } from './wire.ts';
import { type QueuedCommit, WriterEngine } from './writer-engine.ts';

/** What the writer thread is started with. */
export interface WriterData {
  readonly path: string;
  readonly maxPages?: number;
}

/** A group takes no more than this, so that the first of it does not wait for ever. */
const maxGroup = { commits: 2000, bytes: 16 * 1024 * 1024 };

/**
 * The writer thread. While one group syncs, requests pile up; all of them form the next group, so the more writers
 * there are, the more of them share one sync.
 */
function serve(port: MessagePort, engine: WriterEngine): void {
  port.on('message', (first: WriterRequest) => {
    const backlog = [first, ...arrived(port)];
    while (backlog.length > 0) {
      const [next] = backlog;
      port.postMessage(next?.type === 'call' ? answer(engine, backlog) : commitGroup(engine, takeGroup(backlog)));
      engine.keepLog();
      backlog.push(...arrived(port));
    }
    engine.readAhead();
  });
}

function* arrived(port: MessagePort): Iterable<WriterRequest> {
  for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
    yield next.message as WriterRequest;
  }
}

function answer(engine: WriterEngine, backlog: WriterRequest[]): WriterReply {
  const request = backlog.shift() as Extract<WriterRequest, { type: 'call' }>;
  const { ticket, call } = request;
  try {
    return { committed: [], answered: [{ ticket, value: engine.call(call) }], failed: [] };
  } catch (thrown) {
    return { committed: [], answered: [], failed: [{ ticket, failure: wireFailure(thrown) }] };
  }
}

function takeGroup(backlog: WriterRequest[]): QueuedCommit[] {
  const group: QueuedCommit[] = [];
  let bytes = 0;
  while (backlog[0]?.type === 'commits' && group.length < maxGroup.commits && bytes < maxGroup.bytes) {
    const request = backlog.shift() as Extract<WriterRequest, { type: 'commits' }>;
    bytes += request.values.length;
    group.push(...unpack(request));
  }
  return group;
}

function unpack({ firstTicket, text, values }: Extract<WriterRequest, { type: 'commits' }>): QueuedCommit[] {
  const { commits, checks: all } = JSON.parse(text) as WireCommits;
  let offset = 0;
  return commits.map(({ writes, checks = [] }, index) => {
    const start = offset;
    for (const { size } of writes) offset += size;
    return {
      ticket: firstTicket + index,
      writes,
      checks: checks.map(place => all[place] as WireCheck),
      values: values.subarray(start, offset),
    };
  });
}

function commitGroup(engine: WriterEngine, group: readonly QueuedCommit[]): WriterReply {
  const committed: number[] = [];
  const failed: WriterReply['failed'][number][] = [];
  for (const [index, outcome] of engine.commit(group).entries()) {
    const ticket = group[index]?.ticket as number;
    if ('revision' in outcome) committed.push(ticket, outcome.revision);
    else failed.push({ ticket, failure: wireFailure(outcome.failure) });
  }
  return { committed, answered: [], failed };
}

const { path, maxPages } = workerData as WriterData;
if (parentPort !== null) serve(parentPort, new WriterEngine(path, maxPages));
