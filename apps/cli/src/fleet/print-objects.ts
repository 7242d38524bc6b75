import type { KubeObject } from '@chandlery/api';
import type { Output } from '../command.ts';
import { formatValue } from '../output/print-object.ts';
import { writeTable } from '../output/table.ts';
import type { FleetFormat } from './fleet-flags.ts';

interface Outputs {
  readonly stdout: Output;
  readonly stderr: Output;
}

/** How a kind is shown in a list. */
export interface Listed<T> {
  /** One of them: "instance". */
  readonly noun: string;
  /** The columns: heading and cell. */
  readonly columns: readonly (readonly [heading: string, cell: (object: T, now: Date) => string])[];
  /** Said when there is nothing to list. Default: nothing. */
  readonly whenEmpty?: string;
}

/** Prints objects as kubectl does. */
export function printList<T extends KubeObject>(
  outputs: Outputs,
  { items, listed, format }: { readonly items: readonly T[]; readonly listed: Listed<T>; readonly format: FleetFormat },
): void {
  switch (format) {
    case 'name':
      return void outputs.stdout.write(items.map(item => `${nameOf(item)}\n`).join(''));
    case 'json':
    case 'yaml':
      return void outputs.stdout.write(formatValue({ apiVersion: 'v1', kind: 'List', items }, format));
    case 'table': {
      const now = new Date();
      const rows = items.map(item => listed.columns.map(([, cell]) => cell(item, now)));
      writeTable(outputs, { headings: listed.columns.map(([heading]) => heading), rows, noun: listed.noun });
      if (items.length === 0 && listed.whenEmpty !== undefined) outputs.stderr.write(`${listed.whenEmpty}\n`);
    }
  }
}

/** Prints one object; `render` is what people read. */
export function printOne<T extends KubeObject>(
  { stdout }: Pick<Outputs, 'stdout'>,
  {
    object,
    format,
    render,
  }: { readonly object: T; readonly format: FleetFormat; readonly render: (object: T) => string },
): void {
  if (format === 'table') stdout.write(render(object));
  else stdout.write(format === 'name' ? `${nameOf(object)}\n` : formatValue(object, format));
}

/** `fleetinstance.fleet.chandlery.io/NAME`, as kubectl names an object. */
export function nameOf({ apiVersion, kind, metadata }: KubeObject): string {
  const [group = ''] = apiVersion.split('/');
  return `${kind.toLowerCase()}.${group}/${metadata.name ?? ''}`;
}
