import type { KindDeclaration, StructuralSchema } from '@chandlery/api';
import { serverOptions } from '@chandlery/platform';
import type { Command } from '../../apps/cli/src/command.ts';
import { commands } from '../../apps/cli/src/commands/index.ts';
import { errorCatalogue } from '../../apps/cli/src/help/error-catalogue.ts';

/** A text as the content of a table's cell. */
const cell = (text: string): string =>
  text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ').replaceAll('{{', '{\u200b{');

const code = (text: string): string =>
  text === '' ? '' : `\`${text.replaceAll('|', '\\|').replaceAll('{{', '{\u200b{')}\``;

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map(row => `| ${row.join(' | ')} |`).join('\n');

/** All commands of the CLI with their flags. */
export function commandsPage(): string {
  const shown = commands.filter(({ isHidden = false }) => !isHidden);
  return `# Commands\n\n\`chandlery help COMMAND\` shows the same. Global flags: \`chandlery help\`.\n\n${shown.map(commandText).join('\n\n')}\n`;
}

function commandText({ name, aliases = [], summary, usage, examples, options, notes = [] }: Command): string {
  const flags = Object.entries(options).map(([flag, { about, valueName = '', short }]) => {
    const names = short === undefined ? `--${flag}` : `-${short}, --${flag}`;
    return [code(`${names} ${valueName}`.trim()), cell(about)];
  });
  return [
    `## ${name}`,
    `${cell(summary)}.`,
    `\`\`\`text\nchandlery ${name} ${usage.replace(name, '').trim()}\n\`\`\``,
    ...(aliases.length === 0 ? [] : [`Also: ${aliases.map(code).join(', ')}.`]),
    ...(flags.length === 0 ? [] : [table(['flag', 'meaning'], flags)]),
    ...(notes.length === 0 ? [] : [`\`\`\`text\n${notes.join('\n')}\n\`\`\``]),
    ...(examples.length === 0 ? [] : [`\`\`\`sh\n${examples.join('\n')}\n\`\`\``]),
  ].join('\n\n');
}

/** All settings of the server. */
export function settingsPage(): string {
  const rows = Object.entries(serverOptions).map(([key, option]) => {
    const name = key.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`);
    const {
      about,
      valueName,
      from = ['flag', 'environment', 'file'],
    } = option as {
      readonly about: string;
      readonly valueName: string;
      readonly from?: readonly string[];
    };
    const { default: value, defaultText } = option as { readonly default: unknown; readonly defaultText?: string };
    const shown = defaultText ?? (value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value));
    const flag = from.includes('flag') ? code(`--${name} ${valueName}`) : '';
    const variable = code(`CHANDLERY_${name.replaceAll('-', '_').toUpperCase()}`);
    return [code(name), flag, variable, cell(shown), cell(about)];
  });
  const head = 'Flags win over variables, variables over the file `chandlery.yaml`, whose keys are the names.';
  return `# Settings of the server\n\n${head}\n\n${table(['name', 'flag', 'variable', 'default', 'meaning'], rows)}\n`;
}

/** All codes with which a command can fail. */
export function errorsPage(): string {
  const rows = Object.entries(errorCatalogue).map(([name, { means, next }]) => [code(name), cell(means), cell(next)]);
  const head = 'Codes are stable. `chandlery explain error CODE` shows one of them.';
  return `# Error codes\n\n${head}\n\n${table(['code', 'meaning', 'what next'], rows)}\n`;
}

/** A page for each kind, by its path, and one that lists them. */
export function kindPages(domains: Readonly<Record<string, readonly KindDeclaration[]>>): Map<string, string> {
  const pages = new Map<string, string>();
  const sections: string[] = [];
  for (const [domain, kinds] of Object.entries(domains)) {
    const rows: string[][] = [];
    for (const kind of kinds) {
      const path = `reference/kinds/${kind.plural}.${kind.group}`;
      pages.set(`${path}.md`, kindPage(kind));
      const short = (kind.shortNames ?? []).map(code).join(', ');
      rows.push([`[${kind.kind}](kinds/${kind.plural}.${kind.group}.md)`, code(kind.group), short, kind.scope]);
    }
    sections.push(`## ${domain}\n\n${table(['kind', 'group', 'short names', 'scope'], rows)}`);
  }
  const head = '`kubectl explain` and `chandlery explain` show the same, in any logical cluster that serves the kind.';
  pages.set('reference/kinds.md', `# Kinds\n\n${head}\n\n${sections.join('\n\n')}\n`);
  return pages;
}

function kindPage({ group, kind, plural, scope, versions }: KindDeclaration): string {
  const parts = versions.map(({ name, schema }) => {
    const fields = fieldRows(schema, '', 0).filter(([path = '']) => !/^`(apiVersion|kind|metadata)/.test(path));
    const about = cell(schema.description ?? '');
    return `## ${group}/${name}\n\n${about}\n\n${table(['field', 'type', 'default', 'meaning'], fields)}`;
  });
  return `# ${kind}\n\n\`${plural}.${group}\`, ${scope === 'Cluster' ? 'of a cluster' : 'in namespaces'}.\n\n${parts.join('\n\n')}\n`;
}

/** Deeper fields are left to `kubectl explain`. */
const maxDepth = 6;

function fieldRows(schema: StructuralSchema, prefix: string, depth: number): string[][] {
  if (depth > maxDepth) return [];
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = `${prefix}${name}`;
    const required = schema.required?.includes(name) === true ? ' (required)' : '';
    const { default: value, description = '' } = field;
    const row = [
      code(path),
      `${typeOf(field)}${required}`,
      value === undefined ? '' : code(JSON.stringify(value)),
      cell(description),
    ];
    const inner = field.items === undefined ? field : field.items;
    return [row, ...fieldRows(inner, field.items === undefined ? `${path}.` : `${path}[].`, depth + 1)];
  });
}

function typeOf({ type, items, enum: values }: StructuralSchema): string {
  if (values !== undefined)
    return values.map(value => code(typeof value === 'string' ? value : JSON.stringify(value))).join(', ');
  return items === undefined ? String(type ?? 'any') : `${String(items.type ?? 'any')}[]`;
}
