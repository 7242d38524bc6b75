import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type protobuf from 'protobufjs';
import type { EncodedResource } from '../model/resource.ts';
import type { GrpcAnswers, GrpcQuestions } from './test-grpc-client.ts';

/** The gRPC library in a worker thread. */
export interface GrpcClient extends AsyncDisposable {
  ask(questions: GrpcQuestions): Promise<GrpcAnswers>;
}

export function startGrpcClient(): GrpcClient {
  const worker = new Worker(new URL('./test-grpc-client.ts', import.meta.url), {
    env: { ...process.env, GRPC_XDS_EXPERIMENTAL_RBAC: 'true' },
  });
  return {
    async ask(questions) {
      const answered = once(worker, 'message') as Promise<[GrpcAnswers]>;
      worker.postMessage(questions);
      return (await answered)[0];
    },
    async [Symbol.asyncDispose]() {
      await worker.terminate();
    },
  };
}

/** A resource as the `Any` of a discovery response. */
export function packed(root: protobuf.Root, { any }: EncodedResource): { type_url: string; value: Uint8Array } {
  const { type_url, value } = root.lookupType('google.protobuf.Any').decode(any) as unknown as {
    type_url: string;
    value: Uint8Array;
  };
  return { type_url, value: Uint8Array.from(value) };
}
