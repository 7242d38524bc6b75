import { formatApiVersion, type KindDeclaration } from '@chandlery/api';
import type { FindProtobuf } from './decode.ts';

const DELETE_OPTIONS = 'DeleteOptions';

/** Looks layouts up among kinds. Options of a deletion are found in every version: clients send them in that of the deleted object. */
export function protobufFinder(kinds: readonly KindDeclaration[]): FindProtobuf {
  const layouts = new Map(
    kinds.flatMap(({ group, kind, versions }) =>
      versions.map(
        ({ name, protobuf }) => [keyOf(formatApiVersion({ group, version: name }), kind), protobuf] as const,
      ),
    ),
  );
  return (apiVersion, kind) => layouts.get(keyOf(kind === DELETE_OPTIONS ? 'v1' : apiVersion, kind));
}

const keyOf = (apiVersion: string, kind: string): string => `${apiVersion} ${kind}`;
