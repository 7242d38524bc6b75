import { methodNotAllowed } from '@chandlery/api';
import type { Verb } from '@chandlery/kernel';
import { mediaTypeOf } from '../body.ts';
import { type ResourceCall, writeOptions } from '../call.ts';
import { sendJson } from '../respond.ts';
import { bodyOf } from './request-body.ts';
import { patchTypeOf } from './write-handler.ts';

/** Handles a verb on the scale sub-resource. */
export async function handleScale(call: ResourceCall, verb: Verb): Promise<void> {
  switch (verb) {
    case 'get':
      return sendJson(call, 200, await call.calls.getScale(call.target));
    case 'update': {
      const { value } = await bodyOf(call);
      return sendJson(call, 200, await call.calls.updateScale(call, writeOptions(call), value));
    }
    case 'patch': {
      const type = patchTypeOf(mediaTypeOf(call.request.headers['content-type']));
      const { value } = await bodyOf(call);
      return sendJson(call, 200, await call.calls.patchScale(call, writeOptions(call), { type, patch: value }));
    }
    case 'list':
    case 'watch':
    case 'create':
    case 'delete':
    case 'deletecollection':
      throw methodNotAllowed();
  }
}
