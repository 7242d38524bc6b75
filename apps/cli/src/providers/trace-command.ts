import { setTimeout as sleep } from 'node:timers/promises';
import { isError } from '@chandlery/api';
import {
  findRoot,
  type Landscape,
  renderDot,
  renderTrace,
  type TraceNode,
  type TraceTarget,
  traceObject,
} from '@chandlery/sdk/trace';
import { usageError } from '../args/usage-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { formatValue } from '../output/print-object.ts';
import { readAround, readCentre } from './read-landscape.ts';

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
    'chandlery trace serviceprovider/postgres -o dot | dot -Tsvg > trace.svg',
  ],
  arguments: { required: ['KIND/NAME'] },
  options: {
    namespace: { type: 'text', short: 'n', valueName: 'NAME', about: 'The namespace. Default: any.' },
    cluster: { type: 'text', valueName: 'NAME', about: 'The cluster. Default: any.' },
    watch: { type: 'switch', short: 'w', about: 'Show it again whenever it changes.' },
    output: { type: 'text', short: 'o', valueName: formats.join('|'), about: 'How to print it. Default: tree.' },
  },
  goal: ([wanted]) => `trace ${wanted ?? 'an object'}`,
  async run(context) {
    const format = formatOf(context);
    const target = targetOf(context);
    let last = '';
    do {
      const text = render(await trace(context, target), format);
      if (text !== last) context.stdout.write(last === '' ? text : `\n${text}`);
      last = text;
      if (context.flags.isOn('watch')) await sleep(pauseMs);
    } while (context.flags.isOn('watch'));
    return 0;
  },
};

function formatOf({ flags }: CommandContext): TraceFormat {
  const wanted = flags.text('output') ?? 'tree';
  const found = formats.find(format => format === wanted);
  if (found === undefined) throw usageError('InvalidOption', `--output must be one of ${formats.join(', ')}`);
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

async function trace(context: CommandContext, target: TraceTarget): Promise<TraceNode> {
  const centre = await readCentre(context);
  const root = rootIn(centre, target);
  const landscape = await readAround(context, centre, root);
  return traceObject(root ?? findRoot(target, landscape), landscape);
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
