export function layersPicture(): string
