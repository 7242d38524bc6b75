import { builtInKinds, reviewKinds } from '@chandlery/api';
import { protobufFinder } from './protobuf/protobuf-finder.ts';

/** Finds the protobuf layout of what a body says it is. Only built-in kinds and reviews have one. */
export const findMessage = protobufFinder([...builtInKinds, ...reviewKinds]);
