import { anything, defineKind, type ObjectOf } from '@chandlery/api';
import { Type } from 'typebox';
import { ageColumn, column, declared, namedByUuid, rowStatus, text, uniqueId } from './common.ts';

/** A statement about an entity. It is never changed, only retracted. The name of the object is the UUID of its URN. */
export const aspects = defineKind({
  ...declared,
  kind: 'Aspect',
  shortNames: ['asp'],
  description: 'A statement about an entity, in the form of a schema, for as long as it holds.',
  spec: Type.Object({
    entity: Type.String({ minLength: 1, description: 'The URN of what it is about.' }),
    schema: Type.String({ minLength: 1, description: 'The URN of the schema of the content.' }),
    content: anything('The statement.'),
    contentType: text('Default: application/json.'),
    policy: text('The URN of the policy.'),
    asserter: text('Who stated it.'),
    replaces: text('The URN of the aspect that it replaced.'),
  }),
  status: Type.Object({
    ...rowStatus,
    validTo: text('When it was retracted.'),
    retracter: text('Who retracted it.'),
  }),
  columns: [
    column('Entity', '.spec.entity'),
    column('Schema', '.spec.schema'),
    column('Valid-To', '.status.validTo'),
    ageColumn,
  ],
  rules: [namedByUuid],
  uniqueKeys: [uniqueId],
});

export type Aspect = ObjectOf<typeof aspects>;
