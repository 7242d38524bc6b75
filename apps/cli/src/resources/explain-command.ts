import { ChandleryError, formatApiVersion } from '@chandlery/api';
import type { HttpClient } from '@chandlery/client';
import { didYouMean } from '@chandlery/platform';
import type { Command } from '../command.ts';
import { errorCatalogue, errorEntry } from '../help/error-catalogue.ts';
import { formatPairs } from '../output/table.ts';
import { findKind, type ServedKind } from './discover.ts';
import { openScope, scopeFlags } from './scope.ts';

export const explainCommand: Command = {
  name: 'explain',
  summary: 'Explain the fields of a kind, or the code of an error',
  group: 'Objects of any kind',
  usage: 'KIND[.FIELD…] | error CODE [flags]',
  examples: [
    'chandlery explain project',
    'chandlery explain project.spec.members',
    'chandlery explain error Forbidden',
  ],
  arguments: { required: ['KIND'], optional: ['CODE'] },
  choices: { KIND: ['error'], CODE: Object.keys(errorCatalogue) },
  formats: [],
  options: scopeFlags,
  goal: ([what, code]) => `explain ${what === 'error' ? (code ?? 'an error') : (what ?? 'a kind')}`,
  async run(context) {
    const [what = '', code] = context.args;
    if (what === 'error') context.stdout.write(explainError(code));
    else {
      await using scope = await openScope(context);
      context.stdout.write(await explainField(scope.client, scope.kinds, what));
    }
    return 0;
  },
};

function explainError(code: string | undefined): string {
  if (code === undefined) return formatPairs(Object.entries(errorCatalogue).map(([name, { means }]) => [name, means]));
  const entry = errorEntry(code);
  if (entry !== undefined)
    return `${formatPairs([
      ['Code', entry[0]],
      ['Means', entry[1].means],
      ['Next', entry[1].next],
    ])}`;
  throw new ChandleryError(
    'UnknownErrorCode',
    `there is no error code "${code}"${didYouMean(code, Object.keys(errorCatalogue))}`,
    {
      hint: 'List all of them with "npx chandlery explain error".',
    },
  );
}

/** The parts of an OpenAPI schema that are shown. */
interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly 'x-kubernetes-group-version-kind'?: readonly {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
  }[];
}

interface OpenApiDocument {
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

async function explainField(client: HttpClient, kinds: readonly ServedKind[], path: string): Promise<string> {
  const [word = '', ...fields] = path.split('.');
  const kind = findKind(word, kinds);
  const { group, version } = kind.ref;
  const place = group === '' ? `api/${version}` : `apis/${group}/${version}`;
  const document = (await (await client.raw(`/openapi/v3/${place}`)).json()) as OpenApiDocument;
  const schemas = document.components?.schemas ?? {};
  const root = Object.values(schemas).find(schema =>
    schema['x-kubernetes-group-version-kind']?.some(
      gvk => gvk.kind === kind.kind && gvk.group === group && gvk.version === version,
    ),
  );
  const field = fields.reduce<Schema>(
    (schema, name) => memberOf(schema, name, schemas),
    resolveRef(root ?? {}, schemas),
  );
  const facts = [
    ['Kind', kind.kind] as const,
    ['Version', formatApiVersion(kind.ref)] as const,
    ...(fields.length === 0 ? [] : [['Field', `${fields.join('.')} <${typeOf(field, schemas)}>`] as const]),
  ];
  return `${formatPairs(facts)}\n${field.description ?? 'No description.'}\n${fieldsText(insideOf(field, schemas), schemas)}`;
}

function resolveRef(schema: Schema, schemas: Readonly<Record<string, Schema>>): Schema {
  const ref = schema.$ref ?? schema.allOf?.[0]?.$ref;
  if (ref === undefined) return schema;
  const target = schemas[ref.split('/').at(-1) ?? ''] ?? {};
  const { description = target.description } = schema;
  return { ...target, ...(description === undefined ? {} : { description }) };
}

/** What the members of a field are: of a list those of its items, of a map those of its values. */
function insideOf(schema: Schema, schemas: Readonly<Record<string, Schema>>): Schema {
  const { items, additionalProperties } = schema;
  if (items !== undefined) return insideOf(resolveRef(items, schemas), schemas);
  if (typeof additionalProperties === 'object') return insideOf(resolveRef(additionalProperties, schemas), schemas);
  return schema;
}

function memberOf(schema: Schema, name: string, schemas: Readonly<Record<string, Schema>>): Schema {
  const { properties = {} } = insideOf(schema, schemas);
  const member = Object.hasOwn(properties, name) ? properties[name] : undefined;
  if (member !== undefined) return resolveRef(member, schemas);
  throw new ChandleryError('UnknownField', `there is no field "${name}"${didYouMean(name, Object.keys(properties))}`, {
    hint:
      Object.keys(properties).length === 0
        ? 'The field before it has no members.'
        : `There are ${Object.keys(properties).join(', ')}.`,
  });
}

function typeOf(schema: Schema, schemas: Readonly<Record<string, Schema>>): string {
  const { type, items, additionalProperties } = resolveRef(schema, schemas);
  if (items !== undefined) return `[]${typeOf(items, schemas)}`;
  if (typeof additionalProperties === 'object') return `map[string]${typeOf(additionalProperties, schemas)}`;
  return type ?? 'any';
}

function fieldsText({ properties = {}, required = [] }: Schema, schemas: Readonly<Record<string, Schema>>): string {
  const entries = Object.entries(properties);
  if (entries.length === 0) return '';
  const texts = entries.map(([name, raw]) => {
    const field = resolveRef(raw, schemas);
    const notes = [
      ...(required.includes(name) ? ['required'] : []),
      ...(field.enum === undefined ? [] : [`one of ${field.enum.map(String).join(', ')}`]),
      ...(raw.default === undefined ? [] : [`default ${JSON.stringify(raw.default)}`]),
    ];
    const head = `  ${name} <${typeOf(raw, schemas)}>${notes.length === 0 ? '' : ` ${notes.join('; ')}`}`;
    const [about = ''] = (field.description ?? '').split('\n');
    return about === '' ? `${head}\n` : `${head}\n    ${about}\n`;
  });
  return `\nFields:\n${texts.join('')}`;
}
