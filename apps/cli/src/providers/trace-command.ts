import { setTimeout as sleep } from 'node:timers/promises';
import { ChandleryError, isError } from '@chandlery/api';
import { didYouMean } from '@chandlery/platform';
import {
  findRoot,
  type Landscape,
  type Placed,
  problemsOf,
  renderDot,
  renderTrace,
  type TraceNode,
  type TraceTarget,
  traceObject,
} from '@chandlery/sdk/trace';
import { notOneOf } from '../args/global-flags.ts';
import { usageError } from '../args/usage-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { listenForStop } from '../landscape/stop-signal.ts';
import { type Colour, colour } from '../output/colour.ts';
import { LiveScreen } from '../output/live-screen.ts';
import { formatValue } from '../output/print-object.ts';
import { findKind, type ServedKind } from '../resources/discover.ts';
import { exploreLandscape, searchCentre } from './explore-landscape.ts';
import { readAround, readCentre } from './read-landscape.ts';
import { readMeshes } from './read-meshes.ts';

const formats = ['tree', 'wide', 'json', 'yaml', 'dot'] as const;
type TraceFormat = (typeof formats)[number];

/** Several clusters are read each time. */
const pauseMs = 2000;

export const traceCommand: Command = {
  name: 'trace',
  summary: 'Show everything that an object caused, across clusters, problems first',
  usage: 'KIND/NAME [flags]',
  examples: [
    'chandlery trace controlplane/shop',
    'chandlery trace postgresdatabase/shop -n default -w',
    'chandlery trace serviceinstance/shop -n acme --only-problems',
    'chandlery trace serviceprovider/postgres -o dot | dot -Tsvg > trace.svg',
  ],
  arguments: { required: ['KIND/NAME'] },
  options: {
    namespace: { type: 'text', short: 'n', valueName: 'NAME', about: 'The namespace. Default: any.' },
    cluster: { type: 'text', valueName: 'NAME', about: 'The cluster. Default: any.' },
    watch: { type: 'switch', short: 'w', about: 'Show it again whenever it changes, until q or Ctrl-C.' },
    'only-problems': { type: 'switch', about: 'Leave out what is in order.' },
    output: { type: 'text', short: 'o', valueName: formats.join('|'), about: 'How to print it. Default: tree.' },
  },
  goal: ([wanted]) => `trace ${wanted ?? 'an object'}`,
  async run(context) {
    const format = formatOf(context);
    const target = targetOf(context);
    if (context.flags.isOn('watch')) return watch(context, target, format);
    context.stdout.write(paint(context)(await traceText(context, target, format)));
    return 0;
  },
};

/** On a terminal the tree is drawn again in place; elsewhere every changed tree follows the one before. */
async function watch(context: CommandContext, target: TraceTarget, format: TraceFormat): Promise<number> {
  const { stdout } = context;
  const screen = stdout.isTTY === true ? new LiveScreen(stdout, paint(context)) : undefined;
  using stop = listenForStop(context);
  for (let last = ''; !stop.signal.aborted; await sleep(pauseMs, undefined, { signal: stop.signal }).catch(() => {})) {
    const text = await traceText(context, target, format);
    if (screen !== undefined) screen.draw(text);
    else if (text !== last) stdout.write(last === '' ? text : `\n${text}`);
    last = text;
  }
  return stop.exitCode;
}

/** Colours the state of each object. */
const paint =
  ({ stdout, env }: CommandContext) =>
  (text: string): string =>
    text.replace(/ {2}([✔✖✗…] (?:ready|failed|deleting|waiting))(?= |$)/gm, (_, state: string) => {
      const style = colours[state.slice(0, 1)] ?? 'bold';
      return `  ${colour(state, style, stdout, env)}`;
    });

const colours: Readonly<Record<string, Colour>> = { '✔': 'green', '✖': 'red', '✗': 'yellow', '…': 'yellow' };

function formatOf({ flags }: CommandContext): TraceFormat {
  const wanted = flags.text('output') ?? 'tree';
  const found = formats.find(format => format === wanted);
  if (found === undefined) throw notOneOf('--output', formats, wanted);
  return found;
}

function targetOf({ args, flags }: CommandContext): TraceTarget {
  const [kind = '', name = '', ...rest] = (args[0] ?? '').split('/');
  if (kind === '' || name === '' || rest.length > 0)
    throw usageError('UnexpectedArgument', 'say it as KIND/NAME: pod/shop');
  const namespace = flags.text('namespace');
  const cluster = flags.text('cluster');
  return {
    kind,
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(cluster === undefined ? {} : { cluster }),
  };
}

interface Traced {
  readonly node: TraceNode;
  /** Clusters that the caller may not read. */
  readonly hidden: readonly string[];
  /** Whether the caller may not read who is behind it in meshes. */
  readonly areMeshesHidden: boolean;
}

async function traceText(context: CommandContext, target: TraceTarget, format: TraceFormat): Promise<string> {
  const { node, hidden, areMeshesHidden } = await trace(context, target);
  const shown = context.flags.isOn('only-problems') ? problemsOf(node) : node;
  const isForPeople = format === 'tree' || format === 'wide';
  const notes = [
    ...(shown.children.length === 0 && node.children.length > 0 ? ['No problems found behind it.'] : []),
    ...(hidden.length === 0 ? [] : [`More may be behind it on clusters that you may not read: ${hidden.join(', ')}.`]),
    ...(areMeshesHidden
      ? ['More may be behind it in meshes: you may not get service instances of its namespace.']
      : []),
  ];
  return `${render(shown, format)}${isForPeople ? notes.map(note => `${note}\n`).join('') : ''}`;
}

async function trace(context: CommandContext, target: TraceTarget): Promise<Traced> {
  const centre = await searchCentre(context, target);
  if (centre.root === undefined) return traceAnywhere(context, target);
  const { root, hidden: unread } = centre;
  const { landscape, hidden } = await exploreLandscape(context, root, centre);
  const { meshes, isHidden } = await readMeshes(context, landscape, root);
  return {
    node: traceObject(root, new Map([...landscape, ...meshes])),
    hidden: [...new Set([...unread, ...hidden])].toSorted(),
    areMeshesHidden: isHidden,
  };
}

/** An object that is not found by its name where most objects are: reads all clusters, to find it or to say who is meant. */
async function traceAnywhere(context: CommandContext, target: TraceTarget): Promise<Traced> {
  const { landscape: centre, hidden, kinds } = await readCentre(context, target);
  const known = { ...target, kind: fullKind(target.kind, kinds) };
  const root = rootIn(centre, known);
  const landscape = await readAround(context, centre, root);
  const { meshes, isHidden } = await readMeshes(context, centre, root);
  const node = traceObject(root ?? findNamed(known, landscape, kinds), new Map([...landscape, ...meshes]));
  return { node, hidden, areMeshesHidden: isHidden };
}

/** Short names and plurals are known by the clusters; other words may be kinds of clusters that were not read yet. */
function fullKind(word: string, kinds: readonly ServedKind[]): string {
  try {
    const { kind, ref } = findKind(word, kinds);
    return (ref.group === '' ? kind : `${kind}.${ref.group}`).toLowerCase();
  } catch {
    return word;
  }
}

/** Says of an object that is nowhere whether its kind may be misspelt, or how to list what there is. */
function findNamed(target: TraceTarget, landscape: Landscape, kinds: readonly ServedKind[]): Placed {
  try {
    return findRoot(target, landscape);
  } catch (error) {
    if (!isError(error, 'NotFound')) throw error;
    const { kind } = target;
    const hint = isServed(kind, kinds)
      ? `See what there is with "npx chandlery get ${kind} -A", on another cluster with --cluster.`
      : 'Correct the kind, or say with --cluster where it is served.';
    const unknown = `no kind of the landscape itself is called "${kind}"${didYouMean(kind, namesOf(kinds))}`;
    throw new ChandleryError('NotFound', isServed(kind, kinds) ? error.message : unknown, { hint, cause: error });
  }
}

const namesOf = (kinds: readonly ServedKind[]): string[] =>
  kinds.flatMap(({ kind, ref, otherNames }) => [kind.toLowerCase(), ref.plural, ...otherNames]);

function isServed(word: string, kinds: readonly ServedKind[]): boolean {
  try {
    return findKind(word, kinds) !== undefined;
  } catch {
    return false;
  }
}

/** Undefined when the object is on none of the clusters that were read. */
function rootIn(landscape: Landscape, target: TraceTarget): ReturnType<typeof findRoot> | undefined {
  try {
    return findRoot(target, landscape);
  } catch (error) {
    if (isError(error, 'NotFound')) return undefined;
    throw error;
  }
}

function render(node: TraceNode, format: TraceFormat): string {
  switch (format) {
    case 'tree':
      return `${renderTrace(node)}\n`;
    case 'wide':
      return `${renderTrace(node, { isWide: true })}\n`;
    case 'dot':
      return renderDot(node);
    case 'json':
    case 'yaml':
      return formatValue(node, format);
  }
}
