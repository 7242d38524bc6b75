import type { ExplainedDestination, Explanation } from '@chandlery/mesh/kinds';
import { formatPairs } from '../output/table.ts';

const verdicts = { allowed: 'ALLOWED', partly: 'PARTLY ALLOWED', denied: 'DENIED' } as const;

/** Renders an explanation: the verdict first, then the destinations and their policies. */
export function renderExplanation({ verdict, message, port, split, destinations }: Explanation): string {
  const lines: (readonly [string, string])[] = [];
  if (port !== undefined) lines.push(['Port', `${port.port} (${port.protocol})`]);
  if (split !== undefined) lines.push(['Split', `${split.source}: ${split.why}`]);
  // For a single destination, the message is enough.
  const isDivided = destinations.length > 1;
  for (const destination of destinations) {
    if (isDivided) lines.push([shareText(destination), destination.access.message]);
    lines.push(...detailsOf(destination));
  }
  return `${verdicts[verdict]}: ${message}\n${lines.length === 0 ? '' : formatPairs(lines)}`;
}

const shareText = ({ service: { namespace, name }, share }: ExplainedDestination): string =>
  `${namespace}/${name} ${Number((share * 100).toFixed(1))} %`;

function detailsOf({ access: { allowedBy, nearMisses } }: ExplainedDestination): (readonly [string, string])[] {
  const rule = allowedBy && ('binding' in allowedBy ? `ServiceBinding ${allowedBy.binding}` : ruleText(allowedBy));
  return [
    ...(rule === undefined ? [] : [['Allowed by', rule] as const]),
    ...nearMisses.map(miss => ['Not by', `${ruleText(miss)}: ${miss.why}`] as const),
  ];
}

const ruleText = ({ target, match }: { readonly target: string; readonly match?: string }): string =>
  `TrafficTarget ${target}${match === undefined ? '' : `, match "${match}"`}`;
