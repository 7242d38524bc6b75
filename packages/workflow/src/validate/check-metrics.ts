import { isFields } from '../document/parse-workflow.ts';
import type { Template } from '../document/template.ts';
import { refuse } from './problem.ts';

const metricName = /^[a-zA-Z_][a-zA-Z0-9_]*$/;
const valueKinds = ['gauge', 'counter', 'histogram'];

/** Refuses metrics that could not be emitted. */
export function checkMetrics({ name: template = '', metrics }: Template): void {
  const list: unknown = isFields(metrics) ? metrics['prometheus'] : undefined;
  if (Array.isArray(list)) for (const metric of list.filter(isFields)) checkMetric(`templates.${template}`, metric);
}

function checkMetric(path: string, metric: Readonly<Record<string, unknown>>): void {
  const name = textOf(metric['name']);
  if (!metricName.test(name)) {
    refuse(`${path} metric name '${name}' is invalid. Metric names must contain alphanumeric characters or '_'`);
  }
  const labels = Array.isArray(metric['labels']) ? metric['labels'].filter(isFields) : [];
  const label = labels.map(({ key }) => textOf(key)).find(key => !metricName.test(key));
  if (label !== undefined)
    refuse(`metric label '${label}' is invalid: keys may only contain alphanumeric characters or '_'`);
  if (!metric['help']) refuse(`${path} metric '${name}' must contain a help string under 'help: ' field`);
  const problem = valueProblem(metric);
  if (problem !== undefined) refuse(`${path} metric '${name}' error: ${problem}`);
}

function valueProblem(metric: Readonly<Record<string, unknown>>): string | undefined {
  for (const kind of valueKinds) {
    const source = metric[kind];
    if (!isFields(source)) continue;
    if (!source['value']) return `missing ${kind}.value`;
    if (source['realtime'] === true && textOf(source['value']).includes('resourcesDuration.')) {
      return "'resourcesDuration.*' metrics cannot be used in real-time";
    }
  }
  return undefined;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
