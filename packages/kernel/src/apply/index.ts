export { type Applied, applyServerSide } from './apply.ts';
export type { OwnershipScope } from './ownership-scope.ts';
export { trackUpdate } from './update.ts';
