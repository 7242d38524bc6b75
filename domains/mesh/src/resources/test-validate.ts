import protobuf from 'protobufjs';
import type { EncodedResource } from '../model/resource.ts';
import { validationRules } from './test-validation-rules.ts';

type Fields = Readonly<Record<string, unknown>>;
type Rules = Readonly<Record<string, Fields>>;

interface Place {
  readonly root: protobuf.Root;
  readonly path: string;
  readonly problems: string[];
}

const at = (place: Place, name: string | number): Place => ({ ...place, path: `${place.path}.${name}` });

function rulesOf(field: protobuf.FieldBase): Rules {
  const options = (field.parsedOptions as unknown as Fields[] | null) ?? [];
  return Object.assign({}, ...options.map(option => (option['(validate.rules)'] as Rules | undefined) ?? {})) as Rules;
}

/** Rules for each item are applied to the items. */
const itemRules: ReadonlySet<string> = new Set(['items', 'keys', 'values']);

function checkRules(rules: Rules, value: unknown, place: Place): void {
  for (const [kind, parameters] of Object.entries(rules)) {
    if (parameters.ignore_empty === true && value === '') continue;
    for (const [name, parameter] of Object.entries(parameters)) {
      if (itemRules.has(name)) continue;
      const rule = validationRules[kind]?.[name];
      if (!rule) throw new Error(`unknown rule ${kind}.${name} of ${place.path}`);
      const problem = rule(parameter, value, parameters);
      if (problem) place.problems.push(`${place.path} ${problem}`);
    }
  }
}

const isRequired = (rules: Rules): boolean => Object.values(rules).some(({ required }) => required === true);

/** Rules for numbers also stand on messages that wrap one. */
const unwrapped = (field: protobuf.FieldBase, rules: Rules, value: unknown): unknown =>
  field.resolvedType?.fullName.endsWith('Value') && !rules.message && !rules.any ? (value as Fields).value : value;

function checkKnown(field: protobuf.FieldBase, value: unknown, place: Place): void {
  const { resolvedType } = field;
  if (resolvedType instanceof protobuf.Enum && resolvedType.valuesById[value as number] === undefined)
    place.problems.push(`${place.path} must be a value of ${resolvedType.fullName}`);
  if (resolvedType instanceof protobuf.Type) checkMessage(resolvedType, value as Fields, place);
}

function checkItems(field: protobuf.FieldBase, rules: Rules, { value, place }: { value: Fields; place: Place }): void {
  for (const [name, item] of Object.entries(value)) {
    checkKnown(field, item, at(place, name));
    checkRules((rules.repeated?.items as Rules | undefined) ?? {}, item, at(place, name));
    checkRules((rules.map?.values as Rules | undefined) ?? {}, item, at(place, name));
    checkRules((rules.map?.keys as Rules | undefined) ?? {}, name, at(place, name));
  }
}

const isUnset = (field: protobuf.Field, message: Fields): boolean =>
  !Object.hasOwn(message, field.name) && (field.partOf !== null || field.resolvedType instanceof protobuf.Type);

function checkField(field: protobuf.Field, message: Fields, place: Place): void {
  const rules = rulesOf(field);
  const value = message[field.name];
  if (field.repeated || field.map) {
    checkRules(rules, value, place);
    checkItems(field, rules, { value: value as Fields, place });
  } else if (isUnset(field, message)) {
    if (isRequired(rules) && field.partOf === null) place.problems.push(`${place.path} is required`);
  } else {
    checkKnown(field, value, place);
    checkRules(rules, unwrapped(field, rules, value), place);
  }
}

function checkOneof(oneof: protobuf.OneOf, message: Fields, place: Place): void {
  const isSet = oneof.oneof.some(name => Object.hasOwn(message, name));
  if (oneof.options?.['(validate.required)'] === true && !isSet)
    place.problems.push(`${place.path} needs one of ${oneof.name}`);
}

function checkPacked(packed: Fields, place: Place): void {
  const name = String(packed.type_url).replace(/^type\.googleapis\.com\//, '');
  const type = place.root.lookupType(name);
  checkMessage(type, type.decode(packed.value as Uint8Array) as unknown as Fields, at(place, `[${name}]`));
}

function checkMessage(type: protobuf.Type, message: Fields, place: Place): void {
  if (type.fullName === '.google.protobuf.Any') {
    checkPacked(message, place);
    return;
  }
  for (const field of type.fieldsArray) checkField(field, message, at(place, field.name));
  for (const oneof of type.oneofsArray) checkOneof(oneof, message, place);
}

/**
 * The violations of the validation rules in the protos (`validate.rules`), including packed messages. Envoy rejects
 * such resources. Throws on an unknown rule.
 */
export function problemsOf(root: protobuf.Root, { any }: EncodedResource): readonly string[] {
  const problems: string[] = [];
  const type = root.lookupType('google.protobuf.Any');
  checkPacked(type.decode(any) as unknown as Fields, { root, path: '', problems });
  return problems;
}
