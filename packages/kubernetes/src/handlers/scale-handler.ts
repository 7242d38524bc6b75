import { type JsonValue, methodNotAllowed } from '@chandlery/api';
import { asKubeObject, getScale, type PatchType, patchScale, updateScale } from '@chandlery/kernel';
import { mediaTypeOf } from '../body.ts';
import { type ResourceCall, writeOptions } from '../call.ts';
import type { Verb } from '../request-attributes.ts';
import { sendJson } from '../respond.ts';
import { bodyOf } from './request-body.ts';
import { patchTypeOf } from './write-handler.ts';

const scaleType = { apiVersion: 'autoscaling/v1', kind: 'Scale' };

/** What a verb does on the scale sub-resource. */
export async function handleScale(call: ResourceCall, verb: Verb): Promise<void> {
  const { kernel, target } = call;
  switch (verb) {
    case 'get':
      return sendJson(call, 200, await getScale(kernel.needs, target));
    case 'update': {
      const { value } = await bodyOf(call);
      return sendJson(
        call,
        200,
        await updateScale(kernel.needs, target, writeOptions(call), asKubeObject(value, scaleType)),
      );
    }
    case 'patch': {
      const type = patchTypeOf(mediaTypeOf(call.request.headers['content-type']));
      const { value } = await bodyOf(call);
      const request: { type: PatchType; patch: JsonValue } = { type, patch: value };
      return sendJson(call, 200, await patchScale(kernel.needs, target, writeOptions(call), request));
    }
    case 'list':
    case 'watch':
    case 'create':
    case 'delete':
    case 'deletecollection':
      throw methodNotAllowed();
  }
}
