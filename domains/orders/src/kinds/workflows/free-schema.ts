import type { StructuralSchema } from '@chandlery/api';

/** An object whose fields are kept as they were given. */
export const freeObject = (description: string): StructuralSchema => ({
  type: 'object',
  description,
  'x-kubernetes-preserve-unknown-fields': true,
});
