// Receives the upload of a transcript as a stream.
import type { Request, RequestHandler } from 'express'
import { TurngraphError } from '../core/errors.ts'
import { toWire } from '../core/wire-form.ts'
import { transcriptUpload, transcriptUploaded, uploadTranscript } from '../operations/transcript-upload.ts'
import { answerJson } from './answer.ts'
import { readCaller } from './authorize.ts'
import { refuseEncoded } from './input.ts'
import { chooseProject, inputFor, type OperationContext } from './operation-handler.ts'

/** Maximum size of a request. A longer transcript needs several requests, each from the offset of the last answer. */
const MAX_UPLOAD_BYTES = 256 * 1024 * 1024

/** `POST /v1/transcripts/{session_id}`: the body is the transcript, which is read as a stream. */
export function transcriptUploadHandler(context: OperationContext): RequestHandler {
  return async (req, res) => {
    context.schema.refuseUnlessCurrent()
    const input = inputFor(transcriptUpload, req, 'importTranscript')
    const project = chooseProject(input.project ?? null, readCaller(res), context.defaultProject)
    const { graph, metrics, turnLengthThreshold } = context
    await context.schema.refuseWritesIfOutdated()
    const read = await uploadTranscript(graph, { ...input, project }, readBody(req), turnLengthThreshold)
    metrics.imported(read)
    answerJson(res, 200, toWire(transcriptUploaded, read))
  }
}

async function* readBody(req: Request): AsyncGenerator<Buffer> {
  refuseEncoded(req)
  let bytes = Number(req.headers['content-length'] ?? 0)
  if (bytes > MAX_UPLOAD_BYTES) throw tooLarge()
  bytes = 0
  for await (const chunk of req) {
    bytes += (chunk as Buffer).length
    if (bytes > MAX_UPLOAD_BYTES) throw tooLarge()
    yield chunk as Buffer
  }
}

const tooLarge = (): TurngraphError =>
  new TurngraphError('too_large', `The body is larger than ${MAX_UPLOAD_BYTES / 1024 / 1024} MiB.`, {
    hint: 'Send it in parts: GET /v1/transcripts/{session_id}/progress says from where to go on.',
  })
