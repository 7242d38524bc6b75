/** One value that was measured; the metric's name is `__name__`. */
export interface MeasuredSample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: number;
}

const sampleLine = /^([A-Za-z_:][A-Za-z0-9_:]*)(?:\{(.*)\})?\s+(\S+)(?:\s+-?\d+)?$/;
const labelPair = /([A-Za-z_][A-Za-z0-9_]*)="((?:[^"\\]|\\.)*)"\s*,?\s*/y;

/** Reads Prometheus' text format. Lines that cannot be read and values that are not finite are left out. */
export function parseExposition(text: string, maxSamples: number): readonly MeasuredSample[] {
  const samples: MeasuredSample[] = [];
  for (const line of text.split('\n')) {
    const sample = line.startsWith('#') ? undefined : parseLine(line.trim());
    if (sample !== undefined) samples.push(sample);
    if (samples.length === maxSamples) break;
  }
  return samples;
}

function parseLine(line: string): MeasuredSample | undefined {
  const [, name, labels = '', text = ''] = sampleLine.exec(line) ?? [];
  const value = Number(text);
  const metric = name === undefined ? undefined : parseLabels(labels);
  if (name === undefined || metric === undefined || !Number.isFinite(value)) return undefined;
  return { metric: { ...metric, __name__: name }, value };
}

function parseLabels(text: string): Record<string, string> | undefined {
  const labels: Record<string, string> = {};
  labelPair.lastIndex = 0;
  for (let end = 0; end < text.length; end = labelPair.lastIndex) {
    const [, name, value] = labelPair.exec(text) ?? [];
    if (name === undefined || value === undefined) return undefined;
    labels[name] = value.replace(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped));
  }
  return labels;
}
